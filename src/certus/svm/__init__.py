"""Support vector machines, solved exactly and certified."""

from certus.svm.left_out_rows import LeaveOneOut, leave_one_out
from certus.svm.nu_svc import NuSVC
from certus.svm.nu_svr import NuSVR
from certus.svm.one_class import OneClassSVM
from certus.svm.one_vs_rest import OneVsRestSVC
from certus.svm.path import SVMPath, svm_path
from certus.svm.svc import SVC
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
