/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A rendezvous through shared memory, runtime/message/shm_stream.cpp and rendezvous.cpp: one
 * message after the other goes through the same stream, of which the sender may at any time rescue the rest, or never, and for which the receiver
 * may come at any time, or never. What is received is complete, and each piece once; a block is not overwritten
 * before it has been read; and the sender that rescues needs no receiver. Nothing but the two counts orders accesses to blocks,
 * since MPI's messages pass on here nothing but what they contain.
 *
 * Mutation 1: unpack() looks whether the stream has ended after it has looked what is there. Found: assertion violated
 * Mutation 2: counts of an earlier stream count. Found: assertion violated
 * Mutation 3: open() takes an outlet that is closed, the receiver not through with it. Found: assertion violated
 * Mutation 4: rescue() goes on to put what it has sent. Found: assertion violated
 * Mutation 5: put() before the piece is packed. Found: assertion violated
 * Mutation 6: show() stores filled without release. Found: assertion violated ((known
 * Mutation 7: filled() loads it without acquire. Found: assertion violated ((known
 * Mutation 8: take() stores taken without release. Found: assertion violated ((known
 * Mutation 9: credit() and through() load it without acquire. Found: assertion violated ((known
 * Mutation 10: copy_past_caches() has no fence, without which a release orders no streaming store. Found: assertion violated ((known
 * Mutation 11: the receiver reads what is in blocks without having claimed it. Found: invalid end state
 * Mutation 12: the sender that rescues a message uses its blocks for the next one without having claimed them. Found: invalid end state
 */

#define MESSAGES_SENT 3
#define PIECES 3
#define BLOCKS 2
#define EMPTY 255

#define SENDER 0
#define RECEIVER 1
#define THREADS 2

/* Counts of pieces: the sender's word, put_line(), and the receiver's, taken_line() */
#define FILLED 0
#define TAKEN 1
#define PLACES 2
#define MESSAGES 3
#define DATA BLOCKS
#include "memory/views.pml"

/* word() and count_of() */
#define LAST 4
#define word(generation, pieces) ((generation) * 8 + (pieces))
#if MUTATION == 2
#define count_of(count, generation) ((count) % 8)
#else
#define count_of(count, generation) ((count) / 8 == (generation) -> (count) % 8 : 0)
#endif
#define pieces_of(count, generation) (count_of(count, generation) % LAST)
#define ended(count, generation) (count_of(count, generation) >= LAST)

byte block[BLOCKS];

/* MPI: the RTS of each message, with its generation, and what is sent of a rescued one, from a piece on */
chan rts = [MESSAGES_SENT] of { byte, byte };
chan rest = [MESSAGES_SENT] of { byte, byte, byte };

byte claimed = 0; /* the last generation that either end has claimed */
bool rescues, comes; /* whether the sender may, and whether there is a receiver */
byte got[MESSAGES_SENT * PIECES];
bool all_sent = false;

inline pack() {
  atomic { write(SENDER, packed % BLOCKS); block[packed % BLOCKS] = message * PIECES + packed }
}
/* ShmWriter::show */
inline show_count(count) {
  store(SENDER, FILLED, count, order(6, release))
}
inline put() {
#if MUTATION == 10
  atomic {
    show_count(word(generation, packed + 1));
    place[FILLED].known[place[FILLED].last] = ~written(packed % BLOCKS) & known[SENDER]
  }
#else
  show_count(word(generation, packed + 1))
#endif
}
inline look_at_taken() {
  load(SENDER, TAKEN, order(9, acquire), count)
}

/* claim(): one step, which orders nothing */
inline claim(won) {
  atomic {
    if
    :: claimed < generation -> claimed = generation; won = true
    :: claimed >= generation -> won = false
    fi
  }
}

/* ShmWriter::open, RendezvousSend::advance and rescue, for one message after the other */
proctype sender() {
  byte message, generation, packed, count;
  bool closed, is_whole, given_back;
  do
  :: message == MESSAGES_SENT -> break
  :: else ->
#if MUTATION != 3
    if
    :: closed -> look_at_taken()
    :: else
    fi;
#endif
    if
#if MUTATION == 3
    :: true ->
#else
    :: closed && pieces_of(count, generation) != PIECES /* no stream is left: MPI is to carry it */
    :: !closed || pieces_of(count, generation) == PIECES ->
#endif
      generation++;
      store(SENDER, FILLED, word(generation, 0), relaxed);
      rts ! message, generation;
      packed = 0;
      given_back = false;
      do
      :: packed == PIECES -> break
      :: packed < PIECES ->
        look_at_taken();
        if /* ShmWriter::credit */
        :: packed < pieces_of(count, generation) + BLOCKS ->
#if MUTATION == 5
          put();
          pack();
#else
          pack();
          put();
#endif
          packed++
        :: packed >= pieces_of(count, generation) + BLOCKS &&
           (rescues || pieces_of(newest(TAKEN), generation) + BLOCKS > packed) /* in vain, before there is more */
        fi
      :: packed < PIECES && rescues -> /* ShmWriter::rescue */
#if MUTATION == 12
        is_whole = true;
#else
        claim(is_whole);
#endif
        if
        :: is_whole ->
          rest ! generation, message, 0;
          given_back = true;
          packed = PIECES
        :: !is_whole ->
          rest ! generation, message, packed;
          show_count(word(generation, packed) + LAST);
#if MUTATION == 4
          packed++;
          show_count(word(generation, packed))
#else
          packed = PIECES
#endif
        fi
      od;
      closed = !given_back /* ShmWriter::~ShmWriter */
    fi;
    count = 0;
    message++
  od;
  all_sent = true
}

/* RendezvousReceive::unpack and receive_rest, for one message after the other */
proctype receiver() {
  byte message, generation, unpacked, bound, begin, which, count;
  bool is_last, in_vain, is_claimed;
end: /* it may never come */
  comes;
  do
  :: rts ? message, generation ->
    unpacked = 0;
#if MUTATION == 11
    is_claimed = true;
#else
    claim(is_claimed); /* ShmReader::open */
#endif
    if
    :: is_claimed
    :: !is_claimed ->
      rest ? eval(generation), which, begin;
      assert(which == message && begin == 0);
      do
      :: unpacked == PIECES -> break
      :: unpacked < PIECES -> got[message * PIECES + unpacked]++; unpacked++
      od
    fi;
    do
    :: unpacked == PIECES -> break
    :: unpacked < PIECES ->
      (!in_vain || ended(newest(FILLED), generation) || pieces_of(newest(FILLED), generation) > unpacked); /* before that in vain once more */
      in_vain = false;
#if MUTATION != 1
      load(RECEIVER, FILLED, order(7, acquire), count);
      is_last = ended(count, generation);
#endif
      load(RECEIVER, FILLED, order(7, acquire), count);
      bound = pieces_of(count, generation);
#if MUTATION == 1
      load(RECEIVER, FILLED, order(7, acquire), count);
      is_last = ended(count, generation);
#endif
      count = 0;
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
        store(RECEIVER, TAKEN, word(generation, PIECES), order(8, release))
      :: unpacked < bound ->
        do
        :: unpacked == bound -> break
        :: unpacked < bound ->
          atomic { read(RECEIVER, unpacked % BLOCKS); assert(block[unpacked % BLOCKS] == message * PIECES + unpacked) }
          got[message * PIECES + unpacked]++;
          unpacked++
        od;
        store(RECEIVER, TAKEN, word(generation, bound), order(8, release)) /* ShmReader::take */
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
    begin_memory();
    block[0] = EMPTY; block[1] = EMPTY;
    if
    :: rescues = true
    :: comes = true
    :: rescues = true; comes = true
    fi;
    run sender(); run receiver()
  }
}
