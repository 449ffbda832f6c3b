// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <iterator>

#include "groups/tree/shrinking.hpp"

namespace helper::groups::tree {
namespace {

void put(EnrolmentMessage& message, const Branch& branch) {
  message.put({branch.root.id, branch.root.sent, branch.size});
  message.put(branch.victims);
}

Branch get_branch(MessageReader& reader) {
  Branch branch{{reader.get(), reader.get()}, reader.get()};
  const auto victims = reader.get_words();
  branch.victims.assign(victims.begin(), victims.end());
  return branch;
}

/// Sorts branches, the largest first. The result does not depend on the order of their arrival.
void sort(std::vector<Branch>& branches) {
  std::ranges::sort(branches, [](const Branch& one, const Branch& other) {
    return one.size != other.size ? one.size > other.size : one.root.id < other.root.id;
  });
}

/// Shrink-and-Balance, section V.B. The tree of the participants becomes as shallow as their number allows,
/// and no vertex has more than k children. Vertices move only if this requires it.
///
/// A descent tells a vertex how many vertices and levels its subtree will have. At most k of the subtrees
/// below the vertex remain its children. Each may have as many vertices as a full tree that is one level
/// lower (equation 7). A child with more is a supplier, a child with fewer is a consumer. The vertex itself
/// is a consumer as long as it has fewer than k children. It matches suppliers and consumers. Suppliers learn
/// from their descents how much to give to which consumer, consumers how much to wait for. A supplier obeys
/// immediately, so consumers never wait for one another. It delivers whole subtrees if it can, and lets a
/// supplier below it supply the rest. Consumers then do the same with the subtrees that they got.
///
/// Messages, if m of n processes participate: n - 1 reports; one relocation for each hole that has
/// participants below it; m - 1 descents; a delivery for each subtree that moves; and orders that cannot wait
/// for a descent.
///
/// The paper's algorithm passes suppliers from consumer to consumer and asks suppliers for vertices at the
/// end. Here subtrees go to the consumer that was chosen first. So no requests are needed, and a consumer
/// gets at most O(k log n) subtrees from each supplier.
class Balance final : public Shrinking {
public:
  Balance(const Place& place, bool participates, const Scheme& scheme, Send send)
      : Shrinking(place, participates, scheme, std::move(send)), free_children_(scheme.branching) {}

private:
  /// A future child of this vertex: the child's own subtree, and subtrees that it is given.
  struct BalancedChild {
    Branch branch;
    std::vector<Branch> gifts = {};
    std::vector<Order> orders = {}; ///< orders that may also take from the gifts
    Rank size;                      ///< its final number of vertices, including the `promised` ones
    Rank promised = 0;
  };

  EnrolmentMessage first_descent(Branch& branch) override {
    const Rank size = branch.size;
    return controlling(EnrolmentMessage::EnrolmentKind::descent, branch,
                       {0, 0, size, size, height(size, branching()), 0, 0, 0, 0});
  }

  void descend(Id from, MessageReader& reader) override {
    const int depth = reader.get();
    const Rank rank = reader.get();
    const Rank size = reader.get();
    const Rank vertices = reader.get();
    height_ = reader.get();
    promised_ = reader.get();
    const auto early = reader.get_pairs<Order>();
    const auto late = reader.get_pairs<Order>();
    std::vector<Branch> gifts(static_cast<std::size_t>(reader.get()));
    for (Branch& gift : gifts) gift = get_branch(reader);

    coming_ = new_place(rank, size, depth, vertices - 1, depth == 0 ? nobody : from,
                        Place::ChildNumbering::by_branch);
    next_rank_ = rank + 1;
    supply(early);
    std::ranges::move(gifts, std::back_inserter(branches()));
    supply(late);
    go_on();
  }

  void obey(MessageReader& reader) override {
    height_ = reader.get();
    supply(reader.get_pairs<Order>());
    for (Branch& branch : branches()) send_orders(branch);
  }

  void handle_other(const EnrolmentMessage& message) override {
    MessageReader reader(message);
    deliveries_.push_back(get_branch(reader));
    delivered_ += deliveries_.back().size;
    if (coming_) go_on();
  }

  Rank child_capacity() const { return capacity(height_ - 1, branching()); }

  /// Carries out orders. Delivers whole subtrees. Orders the root of a larger subtree to give away the rest.
  void supply(std::span<const Order> orders) {
    for (auto [consumer, vertices] : orders) {
      while (vertices > 0) {
        const auto supplier = supplier_of(vertices);
        const Rank given = std::min(vertices, supplier->size);
        vertices -= given;
        if (given < supplier->size) {
          supplier->orders.push_back({consumer, given});
          supplier->size -= given;
          continue;
        }
        send_orders(*supplier);
        EnrolmentMessage delivery(EnrolmentMessage::EnrolmentKind::delivery, {});
        put(delivery, *supplier);
        send(consumer, std::move(delivery));
        branches().erase(supplier);
      }
    }
  }

  /// Returns the best subtree to supply `vertices` vertices. If it has at most that many, all of it moves.
  std::vector<Branch>::iterator supplier_of(Rank vertices) {
    sort(branches());
    const Rank room = child_capacity();
    const auto begin = branches().begin(), end = branches().end();
    const auto fits = [&](const Branch& branch) { return branch.size <= vertices; };
    // The best subtree is one that cannot stay: at most k remain children …
    const auto staying = std::min<std::ptrdiff_t>(room > 0 ? branching() : 0, end - begin);
    if (const auto found = std::find_if(begin + staying, end, fits); found != end) return found;
    // … or the smallest one with a surplus of at least `vertices` …
    const auto has_less = [&](const Branch& branch) { return branch.size - std::max(room, 1) < vertices; };
    if (const auto found = std::find_if(begin, end, has_less); found != begin) return found - 1;
    // … or any other: one large subtree is better than the leaves of many.
    const auto found = std::find_if(begin, end, fits);
    return found != end ? found : begin;
  }

  void send_orders(Branch& branch) {
    if (branch.orders.empty()) return;
    EnrolmentMessage message = controlling(EnrolmentMessage::EnrolmentKind::order, branch, {height_ - 1});
    message.put_pairs(branch.orders);
    send(branch.root.id, std::move(message));
    ++branch.root.sent;
    branch.orders = {};
  }

  /// Chooses the children of this vertex, once all promised vertices have arrived.
  void go_on() {
    if (delivered_ < promised_) {
      for (Branch& branch : branches()) send_orders(branch); // consumers wait for these vertices
      return;
    }
    promised_ = delivered_ = 0;
    auto children = choose_children();
    match(children);
    for (BalancedChild& child : children) adopt(child);
    if (promised_ == 0) set_group(*std::exchange(coming_, std::nullopt));
  }

  /// Makes children of the largest subtrees. Each of the others goes to the smallest child.
  std::vector<BalancedChild> choose_children() {
    auto available = std::exchange(branches(), {});
    std::ranges::move(deliveries_, std::back_inserter(available));
    deliveries_ = {};
    sort(available);
    std::vector<BalancedChild> children;
    for (Branch& branch : available) {
      const Rank size = branch.size;
      if (free_children_ > 0) {
        --free_children_;
        children.push_back({.branch = std::move(branch), .size = size});
        continue;
      }
      send_orders(branch);
      BalancedChild& least = *std::ranges::min_element(children, {}, &BalancedChild::size);
      least.size += size;
      least.gifts.push_back(std::move(branch));
    }
    return children;
  }

  /// Orders children with too many vertices to supply consumers: children with too few, or this vertex if it
  /// may get more children. A child gives all surplus to one consumer if possible: to the one it fills best.
  void match(std::vector<BalancedChild>& children) {
    const std::int64_t room = child_capacity();
    const auto spare = [&](const BalancedChild* child) {
      return child ? room - child->size : free_children_ * room - promised_;
    };
    for (BalancedChild& supplier : children) {
      while (supplier.size > room) {
        const auto excess = supplier.size - room;
        BalancedChild* consumer = nullptr; // this vertex itself
        for (BalancedChild& child : children) {
          const bool is_enough = spare(consumer) >= excess;
          if (is_enough ? spare(&child) >= excess && spare(&child) <= spare(consumer)
                        : spare(&child) > spare(consumer))
            consumer = &child;
        }
        const auto given = static_cast<Rank>(std::min(excess, spare(consumer)));
        supplier.orders.push_back({consumer ? consumer->branch.root.id : place().id, given});
        supplier.size -= given;
        (consumer ? consumer->promised : promised_) += given;
        if (consumer) consumer->size += given;
      }
    }
  }

  void adopt(BalancedChild& child) {
    EnrolmentMessage message =
        controlling(EnrolmentMessage::EnrolmentKind::descent, child.branch,
                    {coming_->depth + 1, next_rank_, coming_->size, child.size, height_ - 1, child.promised});
    message.put_pairs(child.branch.orders);
    message.put_pairs(child.orders);
    message.put({static_cast<std::int32_t>(child.gifts.size())});
    for (const Branch& gift : child.gifts) put(message, gift);
    send(child.branch.root.id, std::move(message));
    coming_->children.push_back({child.branch.root.id, next_rank_});
    next_rank_ += child.size;
  }

  std::size_t memory() const override {
    return sizeof *this + heap() + heap_bytes_of(deliveries_) + (coming_ ? heap_bytes(coming_->children) : 0);
  }

  int height_ = 0;                    ///< the levels that the subtree may have
  int free_children_;                 ///< the number of children that the vertex may still get
  Rank next_rank_ = 0;                ///< the rank of the next child
  Rank promised_ = 0, delivered_ = 0; ///< numbers of vertices of expected and arrived subtrees
  std::vector<Branch> deliveries_;    ///< subtrees that arrived while more are expected
  std::optional<Place> coming_;
};

} // namespace

std::unique_ptr<Enrolment> make_balance(const Scheme& scheme, const Place& place, bool participates,
                                        Send send) {
  return std::make_unique<Balance>(place, participates, scheme, std::move(send));
}

} // namespace helper::groups::tree
