"""One small fault for each rule, and the tests that must notice it: `python tests/mutants.py [-k RULE]`.

Each fault is made in a temporary copy of the source; only the tests named with it are run there. A fault that they do
not notice has survived, and the exit code is 1. Not part of `make test`: it runs about a hundred tests, each against
its own broken copy.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "tenure"
LIMIT = 600


class Mutant(NamedTuple):
    """In `file` (below src/tenure) `old`, which stands there once, becomes `new`; each of `tests` alone may notice."""

    rule: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def _mutant(rule: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    return Mutant(rule, file, old, new, tuple(f"scenario/{test}" if "/" not in test else test for test in tests))


MUTANTS = (
    _mutant(
        "R-I1",
        "model/identity.py",
        "if variable and variable.strip():",
        "if variable:",
        "test_identity.py::test_the_variable_then_the_setting_then_user_and_host",
    ),
    _mutant(
        "R-I2",
        "model/identity.py",
        'for prefix in ("human", "process"):',
        'for prefix in ("human",):',
        "test_identity.py::test_the_kind_is_told_and_check_signals_the_untyped",
    ),
    _mutant(
        "R-I3",
        "model/identity.py",
        "MOST_BYTES = 200",
        "MOST_BYTES = 2000",
        "test_identity.py::test_an_identity_that_could_hide_or_break_a_line_is_refused_where_it_is_set",
    ),
    _mutant(
        "R-I4",
        "work/claimable.py",
        "if view.task != task and view.claim and view.held_by(session.identity.value) and view.live(session.at):",
        "if view.task != task and view.claim and view.held_by(session.identity.value):",
        "test_claiming.py::test_a_lapsed_claim_of_mine_does_not_keep_me_from_another",
    ),
    _mutant(
        "R-I4",
        "work/claimable.py",
        "    _no_other(session, found, task.id)\n",
        "",
        "test_claiming.py::test_one_identity_holds_one_live_claim_and_both_ways_out_work",
    ),
    _mutant(
        "R-I5",
        "work/claiming.py",
        'if view.state.get("token") != old.token or (not view.state.ours and view.local is None):',
        "if False:",
        "test_claiming.py::test_the_same_identity_in_another_clone_adopts_the_record",
    ),
    _mutant(
        "R-I5",
        "model/outcome.py",
        "if isinstance(mine, Claim) and isinstance(there, Claim) and there.holder == mine.holder:",
        "if False:",
        "unit/test_outcome.py::test_a_record_of_my_identity_with_another_token_is_a_regrant",
    ),
    _mutant(
        "R-L1",
        "model/lease.py",
        "most = min(lengths.most, HARD_CAP)",
        "most = lengths.most",
        "test_claiming.py::test_a_persons_own_default_counts_but_no_cap_passes_a_day",
    ),
    _mutant(
        "R-L2",
        "model/lease.py",
        "GRACE = 120",
        "GRACE = 90",
        "test_lease.py::test_a_lease_ends_by_its_own_numbers_with_two_minutes_of_grace",
    ),
    _mutant(
        "R-L3",
        "model/lease.py",
        "return max(claim.expires, at + window(claim, lengths))",
        "return at + window(claim, lengths)",
        "test_lease.py::test_a_renewal_never_shortens_and_reaches_as_far_as_the_grant",
    ),
    _mutant(
        "R-L4",
        "faces/hooks/commit.py",
        'if (state and state.status in ("done", "closed")) or mine.task in look.reopened:',
        "if False:",
        "test_lease.py::test_a_commit_that_hands_the_task_back_or_ends_it_renews_nothing",
    ),
    _mutant(
        "R-L4",
        "work/working.py",
        "if not (view.held_by(session.identity.value) and view.live(session.at)):",
        "if not view.held_by(session.identity.value):",
        "test_lease.py::test_context_says_that_the_lease_lapsed_and_takes_nothing_back",
    ),
    _mutant(
        "R-L5",
        "work/staging.py",
        "or any(thing is not None and about in thing.data for thing in logs)",
        "or bool(logs)",
        "test_lease.py::test_a_log_entry_about_another_task_does_not_touch_mine",
    ),
    _mutant(
        "R-L5",
        "work/staging.py",
        "or (held is not None and any(scope.matches(held.scope, path) for path in freeze.below(root, paths)))",
        "or bool(paths)",
        "test_lease.py::test_a_commit_renews_when_it_touches_the_held_task_and_only_then",
    ),
    _mutant(
        "R-L6",
        "work/claiming.py",
        "        if not view.live(session.at):\n            raise holding.criterion_error(old)\n",
        "",
        "test_lease.py::test_waiting_out_ones_own_lease_frees_no_criterion",
    ),
    _mutant(
        "R-L6",
        "work/claiming.py",
        "state.set_lost(former.holder, made.holder, session.at)",
        "pass",
        "test_lease.py::test_who_lost_a_task_is_told_so_by_every_verb_until_it_claims_again",
    ),
    _mutant(
        "R-L7",
        "work/handing.py",
        "if view.local_oid and not refs.delete(ids.claim_ref(view.task), view.local_oid):\n                _del",
        "if False:\n                _del",
        "test_lease.py::test_a_terminal_transition_drops_the_lease",
    ),
    _mutant(
        "R-L8",
        "model/lease.py",
        "SHORT = 300",
        "SHORT = 0",
        "test_lease.py::test_hooks_speak_when_the_holder_should_know_something_and_else_keep_quiet",
    ),
    _mutant(
        "R-L9",
        "model/lease.py",
        "return first_seen + FAR",
        "return claim.expires",
        "test_lease.py::test_an_end_far_ahead_is_believed_for_a_day_from_the_first_reading",
    ),
    _mutant(
        "R-L9",
        "model/lease.py",
        "return claim.claimed > at + GRACE",
        "return claim.claimed > at + 86_400",
        "test_lease.py::test_the_skew_of_a_clock_is_said_by_claim_status_and_commit_and_the_claim_is_honoured",
    ),
    _mutant(
        "R-C1",
        "git/refs.py",
        'name, new, expected or ""]',
        "name, new]",
        "test_ref_stores.py::test_a_ref_that_must_be_absent_is_made_once",
    ),
    _mutant(
        "R-C1",
        "git/remote.py",
        "leases = [f\"--force-with-lease={one.ref}:{one.expected or ''}\" for one in updates]",
        'leases = ["--force"]',
        "test_completion.py::test_a_renewal_that_landed_first_survives_the_sweep",
    ),
    _mutant(
        "R-C2",
        "model/outcome.py",
        "else LOST, there, oid)\n    return Outcome(LOST, there, oid)",
        "else LOST, there, oid)\n    return Outcome(REFUSED, there, oid)",
        "test_claiming.py::test_claim_next_goes_on_when_the_race_is_lost",
    ),
    _mutant(
        "R-C2",
        "work/carrying.py",
        "        if found.kind == AGAIN:\n            expected = found.oid\n",
        "        if found.kind == AGAIN:\n            return found\n",
        "test_release.py::test_ones_own_renewal_in_flight_cannot_bring_the_claim_back",
    ),
    _mutant(
        "R-C3",
        "work/entries.py",
        'return isinstance(mine, Claim) and lease.is_live(mine, session.at) and not state.get("refused")',
        "return True",
        "test_origin.py::test_a_pending_claim_that_lapsed_is_never_published",
    ),
    _mutant(
        "R-C4",
        "model/record.py",
        "return 1 if old is None else old.generation + 1",
        "return 1",
        "test_claiming.py::test_a_take_over_is_a_new_acquisition_of_the_next_generation",
    ),
    _mutant(
        "R-C5",
        "work/choosing.py",
        "(-unblocks.get(task.id, 0), task.created, task.id)",
        "(task.created, task.id)",
        "test_claiming.py::test_claim_next_takes_what_unblocks_most_then_the_oldest",
    ),
    _mutant(
        "R-C5",
        "work/claimable.py",
        '        if status != "done":\n',
        '        if status not in ("done", "closed"):\n',
        "test_claiming.py::test_refusals_come_in_the_order_of_the_format",
    ),
    _mutant(
        "R-C6",
        "work/handing.py",
        "if reason is None or not reason.strip():",
        "if reason is None:",
        "test_release.py::test_release_needs_a_reason_records_it_and_frees_the_task",
    ),
    _mutant(
        "R-C7",
        "work/holding.py",
        "if task.done_criteria is None or not criteria.fits(task.done_criteria, claim.criteria):",
        "if task.done_criteria is None:",
        "test_completion.py::test_done_refuses_a_criterion_that_is_not_the_frozen_one",
    ),
    _mutant(
        "R-C8",
        "model/record.py",
        "if len(data) > MOST_BYTES:",
        "if False:",
        "test_origin.py::test_an_unreadable_record_is_neither_free_nor_live_and_hides_nothing",
    ),
    _mutant(
        "R-C8",
        "work/views.py",
        "        if ref.symref:\n",
        "        if False:\n",
        "test_origin.py::test_an_unreadable_record_is_neither_free_nor_live_and_hides_nothing",
    ),
    _mutant(
        "R-C9",
        "work/handing.py",
        "if claim is None or view.held_by(session.identity.value) or not view.live(session.at):",
        "if claim is None or view.held_by(session.identity.value):",
        "test_release.py::test_close_drops_ones_own_lease_and_somebody_elses",
    ),
    _mutant(
        "R-C10",
        "faces/cli/status.py",
        'if not document["remote"]:',
        "if False:",
        "test_claiming.py::test_two_clones_without_an_origin_do_not_see_each_other_and_status_says_so",
    ),
    _mutant(
        "R-F1",
        "model/freeze.py",
        "fits = now.readable and now.criterion is not None and criteria.fits(now.criterion, rule.hash)",
        "fits = now.criterion is None or criteria.fits(now.criterion, rule.hash)",
        "test_freeze_commit.py::test_every_way_to_edit_the_criterion_is_refused",
    ),
    _mutant(
        "R-F2",
        "model/freeze.py",
        'if old.status == "done" else []',
        "if False else []",
        "test_freeze_commit.py::test_the_proof_of_a_finished_task_freezes_through_its_parent",
    ),
    _mutant(
        "R-F3",
        "work/judging.py",
        "step.commit.committed_at >= rule.claimed",
        "step.commit.committed_at >= 0",
        "test_freeze_push.py::test_a_commit_from_before_the_claim_by_somebody_else_is_said",
    ),
    _mutant(
        "R-F4",
        "faces/hooks/words.py",
        "if edit.holder == identity:",
        "if True:",
        "test_freeze_commit.py::test_a_refusal_sends_anybody_else_to_the_holder",
    ),
    _mutant(
        "R-K1",
        "model/contest.py",
        "return claim.claimed <= at <= lease.end",
        "return at <= lease.end",
        "test_collision.py::test_what_was_committed_outside_the_lease_is_no_contest",
    ),
    _mutant(
        "R-K2",
        "model/event.py",
        'key = (contest.holder, claimed, contest.author_email, contest.old or "", contest.new or "")',
        'key = (contest.holder, claimed, contest.commit or "", contest.old or "", contest.new or "")',
        "test_collision.py::test_however_often_it_is_seen_it_stays_one_event",
    ),
    _mutant(
        "R-K3",
        "model/contest.py",
        "if mapped is not None:",
        "if False:",
        "test_collision.py::test_the_repository_may_say_who_an_e_mail_is",
    ),
    _mutant(
        "R-K3",
        "work/contests.py",
        "if actor.is_holder is None and contest.known_already(",
        "if False and contest.known_already(",
        "test_collision.py::test_a_transition_that_the_feed_holds_already_is_that_one",
    ),
    _mutant(
        "R-K4",
        "faces/hooks/commit.py",
        'if mode != "always" and session.identity.kind not in ("agent", "process"):',
        "if False:",
        "test_trailers.py::test_a_commit_elsewhere_and_a_persons_commit_get_none",
    ),
    _mutant(
        "R-K5",
        "work/overlaps.py",
        "view.held_by(session.identity.value) or not view.live(session.at):",
        "view.held_by(session.identity.value):",
        "test_claiming.py::test_a_claim_that_meets_others_says_so_in_one_line",
    ),
    _mutant(
        "R-K6",
        "faces/hooks/commit.py",
        "    if new:\n        from tenure.work import contests\n",
        "    if False:\n        from tenure.work import contests\n",
        "test_collision.py::test_without_an_origin_the_next_hook_or_verb_records_it",
    ),
    _mutant(
        "R-A1",
        "model/event.py",
        "KEPT_SECONDS = 180 * 86_400",
        "KEPT_SECONDS = 170 * 86_400",
        "test_feed.py::test_sweep_drops_what_is_older_than_180_days_here_and_on_origin",
    ),
    _mutant(
        "R-A2",
        "model/event.py",
        'WARNS = frozenset({"task.taken_over", "task.contested", "claim.lost"})',
        'WARNS = frozenset({"task.contested", "claim.lost"})',
        "test_feed.py::test_every_kind_of_event_is_told_with_all_fields_and_renewals_are_none",
    ),
    _mutant(
        "R-A3",
        "model/event.py",
        "extra_key=end, record=claim.text)",
        "extra_key=end)",
        "test_feed.py::test_every_kind_of_event_is_told_with_all_fields_and_renewals_are_none",
    ),
    _mutant(
        "R-A4",
        "work/carrier.py",
        "told = feed.carry(asked, max(1.0, min(8.0, end - time.monotonic())))",
        "told = True",
        "test_feed.py::test_an_event_waits_in_the_outbox_while_origin_is_away",
    ),
    _mutant(
        "R-A5",
        "faces/cli/activity.py",
        "and (since is None or one.at >= since)",
        "",
        "test_feed.py::test_activity_is_narrowed_by_task_severity_and_age",
    ),
    _mutant(
        "R-H1",
        "work/guarding.py",
        "there.holder != session.identity.value and lease.is_live(there, session.at):",
        "there.holder == session.identity.value:",
        "test_freeze_push.py::test_the_guard_keeps_other_peoples_live_claims_from_a_push_by_hand",
    ),
    _mutant(
        "R-H2",
        "model/lease.py",
        ">= 2 * reach",
        ">= 1 * reach",
        "test_quiet.py::test_origin_is_left_alone_while_two_thirds_of_a_window_stand_there",
    ),
    _mutant(
        "R-H2",
        "work/background.py",
        "FAILURES = 3",
        "FAILURES = 1000",
        "test_quiet.py::test_after_three_failures_in_a_row_commits_stop_trying_and_say_so_once",
    ),
    _mutant(
        "R-H3",
        "faces/hooks/push.py",
        "_WAITED = 60",
        "_WAITED = 10**12",
        "test_quiet.py::test_a_push_carries_itself_what_has_waited_over_a_minute",
    ),
    _mutant(
        "R-H4",
        "faces/hooks/entry.py",
        "    if strict:\n",
        "    if False:\n",
        "test_quiet.py::test_what_cannot_be_verified_goes_through_and_strict_refuses_it",
    ),
    _mutant(
        "R-H5",
        "git/repo.py",
        'return os.path.join(self.common_dir, "tenure")',
        'return os.path.join(os.path.dirname(self.common_dir), "tenure")',
        "test_freeze_commit.py::test_the_index_as_staged_is_left_alone_by_a_commit_that_passes",
    ),
    _mutant(
        "R-H6",
        "work/state.py",
        '                self._write(path, "")\n        else:\n            _remove(path)',
        '                self._write(path, "")\n        else:\n            pass',
        "test_quiet.py::test_the_wake_file_stands_while_something_is_held_or_waits",
    ),
    _mutant(
        "R-H8",
        "faces/hooks/entry.py",
        'off = (enabled or "").strip().lower() in ("false", "no", "off", "0")',
        "off = False",
        "test_quiet.py::test_a_person_can_skip_us",
    ),
    _mutant(
        "R-X2",
        "model/ids.py",
        "if not (4 <= len(digits) <= 12 and _HEX.issuperset(digits)):",
        "if not digits:",
        "test_bad_input.py::test_an_ambiguous_prefix_lists_the_candidates",
    ),
    _mutant(
        "R-X3",
        "model/text.py",
        'if (char == "\\n" and lines) or',
        'if char == "\\n" or',
        "test_identity.py::test_a_hostile_holder_of_elsewhere_is_shown_harmless",
    ),
    _mutant(
        "R-X4",
        "work/files.py",
        "    except ProcessLookupError:\n        return True\n",
        "    except ProcessLookupError:\n        return False\n",
        "test_bad_input.py::test_a_lock_file_of_a_dead_process_is_cleared_and_any_other_is_named",
    ),
    _mutant(
        "R-X4",
        "work/handing.py",
        "        files.take_back(entry)\n",
        "        pass\n",
        "test_bad_input.py::test_a_disk_that_fills_up_while_a_verb_writes_leaves_nothing_torn",
    ),
    _mutant(
        "R-X5",
        "model/settings.py",
        "    found.end()\n    return shared\n",
        "    return shared\n",
        "test_bad_input.py::test_unknown_keys_of_settings_are_named",
    ),
    _mutant(
        "R-X6",
        "model/glance.py",
        "    except ValueError:\n        return Glance(False)\n",
        "    except KeyError:\n        return Glance(False)\n",
        "test_freeze_commit.py::test_every_way_to_edit_the_criterion_is_refused",
    ),
)


def survives(one: Mutant, folder: Path) -> bool:
    """Whether every test that should notice passes over the broken copy."""
    path = folder / "src" / "tenure" / one.file
    good = path.read_text("utf-8")
    assert good.count(one.old) == 1, f"{one.rule}: {one.file}: {one.old!r}"
    path.write_text(good.replace(one.old, one.new), "utf-8")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *[f"tests/{t}" for t in one.tests]],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
    finally:
        path.write_text(good, "utf-8")
    assert done.returncode in (0, 1), done.stdout.decode() + done.stderr.decode()
    return done.returncode == 0


def copy(folder: Path) -> None:
    """What the tests need, and nothing that they could find the good source by."""
    skip = shutil.ignore_patterns("__pycache__", ".pytest_cache", "*.pyc")
    for name in ("src", "tests", "hooks"):
        shutil.copytree(ROOT / name, folder / name, ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", folder)


def main() -> int:
    """Break, test, tell; 1 when a fault survived."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("-k", metavar="RULE", help="only the faults of one rule, say R-L3")
    wanted = [one for one in MUTANTS if parser.parse_args().k in (None, one.rule)]
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        copy(folder)
        for one in wanted:
            alive = survives(one, folder)
            survivors += alive
            print(f"{'SURVIVED' if alive else 'killed':9}{one.rule:6}{one.file}: {one.old.strip()[:70]!r}", flush=True)
    print(f"{len(wanted)} faults, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
