#!/bin/sh
# Runs the command that it is given, and once more if that crashed. Bun 1.4.5 does so now and then as the client of servers
# that are killed (a segmentation fault of its own): that is no result. A failed test ends it with 1, and is not run again.
"$@"
status=$?
case $status in
132 | 134 | 135 | 136 | 139) ;; # SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV
*) exit $status ;;
esac
echo "the test runner has crashed (exit code $status) and is started once more" >&2
exec "$@"
