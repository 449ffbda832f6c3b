/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a rank posts to non-blocking operations, runtime/shm/posts.cpp: another copies it from the rank's memory, where that is
 * used again once it has been taken, or has been moved, at any time. What is taken is what was posted. A rank that
 * is said to have left has not posted; and who leases the words next, as runtime/shm/control.cpp does for persistent operations,
 * finds the last number. The first array of entries has room for one, the second for two.
 *
 * The entry and the contribution are read by process_vm_readv(2), without any order.
 *
 * Mutation 1: move() changes the entry without release. Found: assertion violated (content
 * Mutation 2: move() stores moved without release. Found: assertion violated (content
 * Mutation 3: move() has no fence. Found: assertion violated (content
 * Mutation 4: find() loads moved without acquire. Found: assertion violated (content
 * Mutation 5: find() has no fence. Found: assertion violated (content
 * Mutation 6: read() has no fence. Found: assertion violated (content
 * Mutation 7: post() stores posted without release. Found: assertion violated ((known
 * Mutation 8: has_posted() loads it without acquire. Found: assertion violated ((known
 * Mutation 9: add_entries() stores entries without release. Found: assertion violated ((known
 * Mutation 10: find() loads it without acquire. Found: assertion violated ((known
 * Mutation 11: take() stores taken without release. Found: assertion violated ((known
 * Mutation 12: has_taken() loads it without acquire. Found: assertion violated ((known
 * Mutation 13: all_taken() loads it without acquire. Found: assertion violated ((known
 * Mutation 14: close() stores closed without release. Found: assertion violated (place
 * Mutation 15: has_left() loads it without acquire. Found: assertion violated (place
 * Mutation 16: who gives back the words does so without release. Found: assertion violated (posted
 * Mutation 17: has_free_posts() loads leased_ without acquire. Found: assertion violated (posted
 */

#define OPERATIONS 3

#define POSTER 0
#define READER 1
#define LESSEE 2
#define THREADS 3

/* PostFlags; leased_, which is 0 as long as it is leased; the entries, of both arrays; the buffer, and the copies that contributions are
 * moved to */
#define POSTED 0
#define TAKEN 1
#define ENTRIES 2
#define MOVED 3
#define CLOSED 4
#define FREE 5
#define ENTRY 6
#define BUFFER 9
#define COPY 10
#define PLACES 12
#define MESSAGES 3

/* Of entries 0 to 2, and of contributions, who uses their place again has to know that they have been read. */
#define CONTRIBUTION 3
#define DATA 4
#include "memory/views.pml"

#define entry_of(number, count) ((count) == 1 -> 0 : 1 + (number) % 2)
#define copy_of(number) (COPY + (number) % 2)
#define newest_posted newest(POSTED)

inline fill_entry(index, from) {
  atomic { write(POSTER, index); store(POSTER, ENTRY + index, from, relaxed) }
}

/* Posts::add_entries */
inline add_entries() {
  if
  :: count == 0
  :: else ->
    load(POSTER, ENTRY, relaxed, from);
    fill_entry(entry_of(number - 1, 2), from)
  fi;
  count++;
  store(POSTER, ENTRIES, count, order(9, release))
}

/* Posts::post, of what is in the buffer */
inline post() {
  load(POSTER, TAKEN, order(13, acquire), taken); /* all_taken() */
  if
  :: number - taken > count -> add_entries()
  :: else
  fi;
  fill_entry(entry_of(number, count), BUFFER);
  store(POSTER, POSTED, number, order(7, release))
}

/* Posts::move, to a copy */
inline move() {
  store(POSTER, copy_of(number), number, relaxed);
  store(POSTER, ENTRY + entry_of(number, count), copy_of(number), order(1, release));
  moved++;
  store(POSTER, MOVED, moved, order(2, release));
#if MUTATION != 3
  fence(POSTER)
#endif
}

inline await_taken(n) {
  do
  :: newest(TAKEN) >= n ->
    load(POSTER, TAKEN, order(12, acquire), taken); /* has_taken() */
    if
    :: taken >= n -> break
    :: else
    fi
  od
}

proctype poster() {
  byte number, count, from, moved, taken;
  do
  :: number == OPERATIONS -> break
  :: number < OPERATIONS ->
    number++;
    if
    :: number > 2 -> await_taken(number - 2) /* of which the copy is the same */
    :: else
    fi;
    store(POSTER, BUFFER, number, relaxed);
    post();
    if
    :: await_taken(number); write(POSTER, CONTRIBUTION)
    :: move()
    fi;
    store(POSTER, BUFFER, 0, relaxed)
  :: store(POSTER, CLOSED, 1, order(14, release)); break /* it has failed */
  od;
  update(POSTER, FREE, order(16, release), from, 1)
}

/* Posts::find */
inline find() {
  do
  ::
    load(READER, MOVED, order(4, acquire), moved);
    load(READER, ENTRIES, order(10, acquire), count);
    atomic { read(READER, entry_of(number, count)); load(READER, ENTRY + entry_of(number, count), relaxed, from) }
#if MUTATION != 5
    fence(READER);
#endif
    load(READER, MOVED, relaxed, moved_since);
    if
    :: moved_since == moved -> break
    :: else
    fi
  od;
  count = 0
}

/* Posts::read */
inline read_contribution() {
  do
  ::
    load(READER, from, relaxed, content);
#if MUTATION != 6
    fence(READER);
#endif
    load(READER, MOVED, relaxed, moved_since);
    if
    :: moved_since == moved -> break
    :: else -> find()
    fi
  od
}

proctype reader() {
  byte number, posted, closed, moved, moved_since, count, from, content;
  do
  :: number == OPERATIONS -> break
  :: else ->
    number++;
    do
    :: newest(POSTED) >= number || newest(CLOSED) == 1 ->
      load(READER, CLOSED, order(15, acquire), closed);
      load(READER, POSTED, order(8, acquire), posted);
      if
      :: posted >= number -> break
      :: posted < number && closed == 1 -> assert(newest_posted < number); goto left /* has_left() */
      :: else
      fi
    od;
    atomic { posted = 0; closed = 0 }
    find();
    read_contribution();
    assert(content == number);
    if
    :: from == BUFFER -> read(READER, CONTRIBUTION)
    :: else
    fi;
    atomic { moved = 0; moved_since = 0; from = 0; content = 0 }
    store(READER, TAKEN, number, order(11, release))
  od;
left:
}

/* CommControl::has_free_posts and newest_persistent, in another thread of the poster's process */
proctype lessee() {
  byte is_free, posted;
  newest(FREE) == 1;
  load(LESSEE, FREE, order(17, acquire), is_free);
  if
  :: is_free -> load(LESSEE, POSTED, relaxed, posted); assert(posted == newest_posted)
  :: else
  fi
}

init {
  atomic { begin_memory(); run poster(); run reader(); run lessee() }
}
