/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A rendezvous through shared memory, runtime/message/shm_stream.cpp and rendezvous.cpp: one
 * message after the other goes through the same stream, of which the sender may at any time rescue the rest, or never, and for which the receiver
 * may come at any time, or never. What is received is complete, and each piece once; a block is not overwritten
 * before it has been read; and the sender that rescues needs no receiver.
 *
 * Mutation 1: unpack() looks whether the stream has ended after it has looked what is there. Found: assertion violated
 * Mutation 2: counts of an earlier stream count. Found: assertion violated
 * Mutation 3: open() takes an outlet that is closed, the receiver not through with it. Found: assertion violated
 * Mutation 4: rescue() goes on to put what it has sent. Found: assertion violated
 * Mutation 5: put() before the piece is packed. Found: assertion violated
 */

#define MESSAGES 3
#define PIECES 3
#define BLOCKS 2
#define EMPTY 255

/* A count of pieces, one word: always read and written in one step. */
typedef Count {
  byte generation;
  byte pieces;
  bool last
}
Count filled; /* the sender's word, put_line() */
Count taken;  /* the receiver's, taken_line() */
byte block[BLOCKS];

/* MPI: the RTS of each message, with its generation, and what is sent of a rescued one, from a piece on */
chan rts = [MESSAGES] of { byte, byte };
chan rest = [MESSAGES] of { byte, byte, byte };

bool rescues, comes; /* whether the sender may, and whether there is a receiver */
byte got[MESSAGES * PIECES];
bool all_sent = false;

#if MUTATION == 2
#define pieces_of(count, own) count.pieces
#else
#define pieces_of(count, own) (count.generation == own -> count.pieces : 0)
#endif
#define ended(own) (filled.generation == own && filled.last)
#define through (pieces_of(taken, generation) == PIECES)

/* ShmWriter::open, RendezvousSend::advance and rescue, for one message after the other */
active proctype sender() {
  byte message, generation, packed;
  bool closed;
  (rescues || comes);
  do
  :: message == MESSAGES -> break
#if MUTATION == 3
  :: message < MESSAGES ->
#else
  :: message < MESSAGES && closed && !through -> message++ /* no stream is left: MPI is to carry it */
  :: message < MESSAGES && (!closed || through) ->
#endif
    generation++;
    d_step { filled.generation = generation; filled.pieces = 0; filled.last = false }
    rts ! message, generation;
    packed = 0;
    do
    :: packed == PIECES -> break
    :: packed < PIECES && packed < pieces_of(taken, generation) + BLOCKS -> /* ShmWriter::credit */
#if MUTATION == 5
      filled.pieces = packed + 1;
      block[packed % BLOCKS] = message * PIECES + packed;
#else
      block[packed % BLOCKS] = message * PIECES + packed;
      filled.pieces = packed + 1; /* ShmWriter::put */
#endif
      packed++
    :: packed < PIECES && rescues -> /* ShmWriter::rescue */
      rest ! generation, message, packed;
      filled.last = true;
#if MUTATION == 4
      d_step { filled.pieces = packed + 1; filled.last = false; packed = packed + 1 }
#else
      packed = PIECES
#endif
    od;
    closed = true; /* ShmWriter::~ShmWriter */
    message++
  od;
  all_sent = true
}

/* RendezvousReceive::unpack and receive_rest, for one message after the other */
active proctype receiver() {
  byte message, generation, unpacked, bound, begin, which;
  bool is_last, in_vain;
end: /* it may never come */
  comes;
  do
  :: rts ? message, generation ->
    unpacked = 0;
    do
    :: unpacked == PIECES -> break
    :: unpacked < PIECES ->
      (!in_vain || ended(generation) || pieces_of(filled, generation) > unpacked); /* before that in vain once more */
      in_vain = false;
#if MUTATION != 1
      is_last = ended(generation);
#endif
      bound = pieces_of(filled, generation);
#if MUTATION == 1
      is_last = ended(generation);
#endif
      if /* batch() */
      :: bound > unpacked + 1 -> bound = unpacked + 1
      :: true
      fi;
      if
      :: unpacked >= bound && is_last ->
        rest ? eval(generation), which, begin;
        assert(which == message && begin == unpacked);
        do
        :: unpacked == PIECES -> break
        :: unpacked < PIECES -> got[message * PIECES + unpacked]++; unpacked++
        od;
        atomic { taken.generation = generation; taken.pieces = PIECES }
      :: unpacked < bound ->
        do
        :: unpacked == bound -> break
        :: unpacked < bound ->
          assert(block[unpacked % BLOCKS] == message * PIECES + unpacked);
          got[message * PIECES + unpacked]++;
          unpacked++
        od;
        assert(block[(bound - 1) % BLOCKS] == message * PIECES + bound - 1);
        atomic { taken.generation = generation; taken.pieces = bound } /* ShmReader::take */
      :: unpacked >= bound && !is_last -> in_vain = true
      fi
    od;
    do
    :: unpacked == 0 -> break
    :: unpacked > 0 -> unpacked--; assert(got[message * PIECES + unpacked] == 1)
    od
  :: all_sent && empty(rts) -> break
  od
}

init {
  atomic {
    block[0] = EMPTY; block[1] = EMPTY;
    if
    :: rescues = true
    :: comes = true
    :: rescues = true; comes = true
    fi
  }
}
