"""Support vector machines, solved exactly and certified."""
