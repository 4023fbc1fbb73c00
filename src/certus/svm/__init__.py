"""Support vector machines, solved exactly and certified."""

from certus.svm.leave_one_out import LeaveOneOut, leave_one_out
from certus.svm.nu_svc import NuSVC
from certus.svm.nu_svr import NuSVR
from certus.svm.one_class import OneClassSVM
from certus.svm.path import SVMPath, svm_path
from certus.svm.svc import SVC
from certus.svm.svr import SVR

__all__ = ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "LeaveOneOut", "SVMPath", "leave_one_out", "svm_path"]
