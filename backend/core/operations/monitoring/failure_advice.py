"""Advice for operators on failed trials, by the party at fault and the code of the failure; pure.

The text is for operators, who may not see the trial: it depends on no detail of it.
"""

from collections.abc import Mapping

from backend.core.units import FailureCause

_RUN_AGAIN = "Nothing on the host. Its owner can start a new run with the present files."

# For codes without advice of their own, such as those of older versions.
ADVICE_BY_CAUSE: Mapping[FailureCause, str] = {
    FailureCause.SERVICE: (
        "Nothing on the host. The log of the trial shows the author of the service the reason."
    ),
    FailureCause.LOAD_GENERATOR: (
        "Read the log of the worker, and check CPU and memory of the host."
    ),
    FailureCause.INFRASTRUCTURE: (
        "Read the log of the worker. Check disk, memory and container engine of the host."
    ),
    FailureCause.TACHO: (
        "This is an error in Tacho. Report it, with the file that the command tacho bundle makes."
    ),
    FailureCause.USER: "Nothing on the host. Its owner can correct the run and start it again.",
}

ADVICE_BY_CODE: Mapping[tuple[FailureCause, str], str] = {
    (FailureCause.SERVICE, "build_failed"): (
        "If the builds of several services fail, check that the host reaches the package "
        "registries. If only one fails, its author finds the reason in the log of the build."
    ),
    (FailureCause.SERVICE, "start_failed"): (
        "Nothing on the host. The log of the service shows its author why it did not start."
    ),
    (FailureCause.SERVICE, "service_died"): (
        "If it needed too much memory, give it a host with more. If not, its author finds the "
        "reason in the log of the service."
    ),
    (FailureCause.SERVICE, "verification_failed"): (
        "Nothing on the host. The page of the trial shows the author of the service which checks "
        "failed."
    ),
    (FailureCause.SERVICE, "runtime_failure"): (
        "Nothing on the host. The author adds the program to the image of the service, or corrects "
        "the command in its manifest."
    ),
    (FailureCause.LOAD_GENERATOR, "load_generator_died"): (
        "Look for the out-of-memory killer in the log of the kernel. If it ended k6, "
        "give the host more memory, or lower the load."
    ),
    (FailureCause.INFRASTRUCTURE, "backing_service_died"): (
        "Look for the out-of-memory killer in the log of the kernel, and check the "
        "memory of the host."
    ),
    (FailureCause.INFRASTRUCTURE, "disk_full"): (
        "Free some space on the host. A larger TACHO_HOST_FREE_MB stops its trials earlier."
    ),
    (FailureCause.INFRASTRUCTURE, "load_host_lost"): (
        "Check that the worker of the load host runs, and the network between both hosts."
    ),
    (FailureCause.INFRASTRUCTURE, "pod_lost"): (
        "Find the program that removes containers on the host, such as a scheduled docker system "
        "prune, and stop it during trials."
    ),
    (FailureCause.INFRASTRUCTURE, "runtime_failure"): (
        "Check that the container engine of the host answers, and read the log of the worker."
    ),
    (FailureCause.INFRASTRUCTURE, "runtime_unavailable"): (
        "Run tacho doctor on the host. It prints what is missing, and how to install it."
    ),
    (FailureCause.INFRASTRUCTURE, "worker_lost"): (
        "Check that the machine of the worker runs and reaches the database."
    ),
    (FailureCause.USER, "build_gone"): _RUN_AGAIN,
    (FailureCause.USER, "manifest_invalid"): (
        "Correct the manifest that the failure names, and restart the worker."
    ),
    (FailureCause.USER, "script_failed"): (
        "Nothing on the host. The author of the k6 script corrects it, or runs it without load "
        "hosts."
    ),
    (FailureCause.USER, "not_found"): (
        "Put the folder of the framework or scenario back on the host, or do nothing if it was "
        "removed for good."
    ),
    (FailureCause.USER, "sources_changed"): _RUN_AGAIN,
}


def advise_on_failure(cause: FailureCause, code: str) -> str:
    """Return what an operator does about a failed trial."""
    return ADVICE_BY_CODE.get((cause, code), ADVICE_BY_CAUSE[cause])
