// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/tree/shrinking.hpp"

namespace helper::groups::tree {

/// This is Shrink-and-Balance, section V.B: the tree of the participants becomes as shallow as their number
/// allows, and no vertex has more than k children; vertices move only where one of the two would not hold.
///
/// A vertex that is sent its descent knows how many vertices its subtree will have, and how many levels. Of
/// the subtrees below it at most k remain its children; each of them may have as many vertices as a full tree
/// that is one level lower (equation 7). A child with more is a supplier, one with fewer a consumer, and so
/// is the vertex itself as long as it has fewer than k children. It matches them, and tells suppliers how
/// much to give to whom, and consumers how much to wait for (their descents say it). A supplier obeys at
/// once, so consumers never wait for one another: it delivers whole subtrees where it can, and has one below
/// it supply the rest. Consumers then go on in the same way with what they have got.
///
/// It takes n - 1 messages up and one for each hole that has participants below it, as with hash; m - 1
/// descents; one delivery for each subtree that moves; and an order wherever it cannot wait for a descent.
///
/// Where the paper's algorithm passes suppliers on from consumer to consumer and asks them for vertices
/// at the end, this one has subtrees delivered to the consumer that was chosen first, which saves the
/// requests, and limits what a consumer gets to O(k log n) subtrees from each supplier.
class Balance final : public Shrinking {
public:
  Balance(const Place& place, bool participates, const Scheme& scheme)
      : Shrinking(place, participates, scheme), free_children_(scheme.branching) {}

private:
  /// A child-to-be has its own subtree, and others that it is given.
  struct Child {
    Branch branch;
    std::vector<Branch> gifts = {};
    std::vector<Order> orders = {}; ///< orders that the gifts may serve, too
    Rank size; ///< how many vertices it will have in the end, those that it is `promised` included
    Rank promised = 0;
  };

  EnrolmentMessage first_descent(Branch& branch) override;
  void descend(Id from, MessageReader& reader, Sink& sink) override;
  void obey(MessageReader& reader, Sink& sink) override;
  void handle_other(Id from, const EnrolmentMessage& message, Sink& sink) override;
  std::size_t memory() const override;

  Rank child_capacity() const { return capacity(height_ - 1, branching()); }
  void supply(std::span<const Order> orders, Sink& sink);
  std::vector<Branch>::iterator supplier_of(Rank vertices);
  void send_orders(Branch& branch, Sink& sink);
  void go_on(Sink& sink);
  std::vector<Child> choose_children(Sink& sink);
  void match(std::vector<Child>& children);
  void adopt(Child& child, Sink& sink);

  int height_ = 0;                    ///< how many levels the subtree may have
  int free_children_;                 ///< how many more children the vertex may have
  Rank next_rank_ = 0;                ///< the rank of the next child
  Rank promised_ = 0, delivered_ = 0; ///< vertices, at the present stage
  std::vector<Branch> deliveries_;    ///< subtrees that have come while there are more to wait for
  std::optional<Place> coming_;
};

} // namespace helper::groups::tree
