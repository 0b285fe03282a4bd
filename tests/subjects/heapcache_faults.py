"""The planted faults of the heap cache. The held-out half must not be tuned on: it is for measuring alone."""

from __future__ import annotations

from planted import Fault

FAULTS = (
    Fault("aliasing store", "what is known of p.f outlives a store to q.f"),
    Fault("call that writes an inherited field", "a call that writes Leaf.value leaves what is known of Node.value"),
    Fault("call that writes a whole struct", "a call that writes Node leaves what is known of Node.value"),
    Fault("immutable field that a call names", "an immutable field outlives a call that writes it by its name"),
    Fault("event that keeps items", "items of arrays outlive events, fields do not"),
    Fault("indices compared by name", "items at i and at 2 are two items"),
    Fault("interior index ignored", "fields of the structs in an array are told apart by their names alone"),
    Fault("store missing in an exit", "a store that is put off is not in the exits of guards that it passes"),
    Fault("one store in an exit", "of stores that are put off the last one alone is in the exits of guards"),
    Fault("shallow exit", "an object in an exit gets its fields, an object in its fields does not"),
    Fault("one virtual twice in an exit", "an object that an exit hands over twice is made twice"),
    Fault("exit reads what passing taught", "the failargs of a guard use what is known behind it"),
    Fault("forced object read as virtual", "an object that has been forced is read as it was then"),
    Fault("escape through a store", "an object that was stored in another is taken for one that no event can see"),
    Fault(
        "null check of a class", "guard_nonnull_class of what is not NULL becomes guard_class, which arrays have not"
    ),
    Fault("subclass taken for the class", "behind guard_subclass the class is taken to be exactly that one"),
    Fault("lengths by descr", "two arrays of one descr have one length"),
    Fault(
        "store redundant by an older value", "a store of what the same store has put there goes, whatever is between"
    ),
    Fault("overwritten store hides a read", "a load does not look at stores to other objects that are put off"),
    Fault("store put off over a reading call", "a store is put off over a call that reads it and does not write it"),
)
