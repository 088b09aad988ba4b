# shellcheck shell=sh disable=SC2154,SC2086
# Builds c-ares with the case's driver in the folder of its source. What its script would find out
# about Linux is written down here, which saves minutes.
for word in ARPA_INET_H ARPA_NAMESER_COMPAT_H ARPA_NAMESER_H ASSERT_H ERRNO_H FCNTL_H INTTYPES_H LIMITS_H NETDB_H \
  NETINET_IN_H NETINET_TCP_H NET_IF_H SIGNAL_H STDBOOL_H STDINT_H STDIO_H STDLIB_H STRINGS_H STRING_H \
  SYS_IOCTL_H SYS_PARAM_H SYS_SELECT_H SYS_SOCKET_H SYS_STAT_H SYS_TIME_H SYS_TYPES_H SYS_UIO_H TIME_H UNISTD_H \
  AF_INET6 PF_INET6 BOOL_T LONGLONG SIG_ATOMIC_T SOCKADDR_IN6_SIN6_SCOPE_ID STRUCT_ADDRINFO STRUCT_IN6_ADDR \
  STRUCT_SOCKADDR_IN6 STRUCT_SOCKADDR_STORAGE STRUCT_TIMEVAL CLOCK_GETTIME_MONOTONIC CONNECT FCNTL \
  FCNTL_O_NONBLOCK GETENV GETHOSTNAME GETTIMEOFDAY INET_NTOP INET_PTON RECV RECVFROM SEND SOCKET STRCASECMP \
  STRDUP STRNCASECMP WRITEV; do
  echo "#define HAVE_$word 1"
done >src/lib/ares_config.h
cat >>src/lib/ares_config.h <<'END'
#define CARES_RANDOM_FILE "/dev/urandom"
#define CARES_TYPEOF_ARES_SSIZE_T ssize_t
#define GETHOSTNAME_TYPE_ARG2 size_t
#define RECV_TYPE_ARG1 int
#define RECV_TYPE_ARG2 void *
#define RECV_TYPE_ARG3 size_t
#define RECV_TYPE_ARG4 int
#define RECV_TYPE_RETV ssize_t
#define RECVFROM_QUAL_ARG5
#define RECVFROM_TYPE_ARG1 int
#define RECVFROM_TYPE_ARG2 void
#define RECVFROM_TYPE_ARG2_IS_VOID 1
#define RECVFROM_TYPE_ARG3 size_t
#define RECVFROM_TYPE_ARG4 int
#define RECVFROM_TYPE_ARG5 struct sockaddr
#define RECVFROM_TYPE_ARG6 socklen_t
#define RECVFROM_TYPE_RETV ssize_t
#define SEND_QUAL_ARG2 const
#define SEND_TYPE_ARG1 int
#define SEND_TYPE_ARG2 void *
#define SEND_TYPE_ARG3 size_t
#define SEND_TYPE_ARG4 int
#define SEND_TYPE_RETV ssize_t
END
"$cc" $flags -D_GNU_SOURCE -DHAVE_CONFIG_H -DCARES_STATICLIB -Iinclude -Isrc/lib "$case/driver.c" src/lib/*.c \
  $klee -o "$1"
