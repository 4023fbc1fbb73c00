"""Support vector machines, solved exactly and certified."""

from certus.svm.leave_one_out import LeaveOneOut, leave_one_out
from certus.svm.nu_svc import NuSVC
from certus.svm.nu_svr import NuSVR
from certus.svm.one_class_svm import OneClassSVM
from certus.svm.one_vs_rest_svc import OneVsRestSVC
from certus.svm.svc import SVC
from certus.svm.svm_path import SVMPath, svm_path
from certus.svm.svr import SVR

__all__ = [
    "LeaveOneOut",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OneVsRestSVC",
    "SVC",
    "SVMPath",
    "SVR",
    "leave_one_out",
    "svm_path",
]


def __dir__() -> list[str]:
    return __all__
