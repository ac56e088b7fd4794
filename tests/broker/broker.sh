#!/usr/bin/env bash
# A real Apache Kafka for the tests: one process, broker and controller (KRaft), on free ports of
# 127.0.0.1, with everything it writes in DIR.
#
#   broker.sh start  DIR   starts it, waits until it answers, prints host:port. After a stop it comes
#                          back on the same ports with the same data. If it runs, prints only.
#   broker.sh stop   DIR   stops it in order; the data stays
#   broker.sh kill   DIR   stops it as a crash does; the data stays
#   broker.sh remove DIR   stops it and removes DIR
#   broker.sh url    DIR   prints host:port
#   broker.sh topics ...   Kafka's own kafka-topics.sh
#   broker.sh fetch        only gets the jars, from Maven Central, into the user's cache
#
# DIR/address has host:port; DIR/sasl_address that of a second listener, which wants SASL/PLAIN with
# the user `lethe` and the password `forget-me`. DIR/log has what the broker said.
set -euo pipefail
version=4.1.1
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
jars=${XDG_CACHE_HOME:-$HOME/.cache}/lethe/kafka-$version-tools
# A broker that was left behind, by a test run that was killed, ends by itself.
lifetime=${LETHE_BROKER_LIFETIME:-6h}

fail() {
  printf 'broker.sh: %s\n' "$*" >&2
  exit 1
}

# Complete or not there at all, also when two runs fetch at the same time.
fetch() {
  [[ ! -d $jars ]] || return 0
  command -v mvn >/dev/null || fail "no Maven here, which gets the jars: apt-get install maven"
  local part
  mkdir -p "$(dirname "$jars")"
  part=$(mktemp -d "$jars.XXXXXX")
  printf 'broker.sh: getting Apache Kafka %s (80 MB) from Maven Central\n' "$version" >&2
  if ! mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$part" \
    </dev/null >&2; then
    rm -rf "$part"
    fail "Maven could not get the jars"
  fi
  mv -T "$part" "$jars" 2>/dev/null || rm -rf "$part"
}

answers() { (exec 3<>"/dev/tcp/${1%:*}/${1#*:}") 2>/dev/null; }

# Below the ports that the system hands out by itself.
free_port() {
  local port
  for _ in {1..100}; do
    port=$((20000 + RANDOM % 12000))
    answers "127.0.0.1:$port" || { echo "$port" && return; }
  done
  fail "found no free port"
}

running() { [[ -s $dir/pid ]] && kill -0 "$(<"$dir/pid")" 2>/dev/null; }

java_run() { java -Xms256m -Xmx768m "$@"; }

prepare() {
  local plain sasl controller
  plain=127.0.0.1:$(free_port)
  sasl=127.0.0.1:$(free_port)
  controller=127.0.0.1:$(free_port)
  mkdir -p "$dir"
  cat >"$dir/server.properties" <<END
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@$controller
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://$plain,SASL_PLAINTEXT://$sasl,CONTROLLER://$controller
advertised.listeners=PLAINTEXT://$plain,SASL_PLAINTEXT://$sasl
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_plaintext.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_lethe="forget-me";
log.dirs=$dir/data
auto.create.topics.enable=${LETHE_BROKER_AUTO_CREATE:-false}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
END
  local id
  id=$(java_run -cp "$jars/*" kafka.tools.StorageTool random-uuid 2>/dev/null)
  # An id may begin with a dash.
  java_run -cp "$jars/*" kafka.tools.StorageTool format --cluster-id="$id" \
    -c "$dir/server.properties" >"$dir/log" 2>&1 || fail "cannot format: $(tail -3 "$dir/log")"
  echo "$sasl" >"$dir/sasl_address"
  echo "$plain" >"$dir/address"
}

launch() {
  # A session of its own, so that a Ctrl-C meant for the tests does not take it down under them.
  setsid timeout "$lifetime" java -Xms256m -Xmx768m -Dorg.apache.logging.log4j.level=WARN \
    -cp "$jars/*" kafka.Kafka "$dir/server.properties" </dev/null >>"$dir/log" 2>&1 &
  echo $! >"$dir/pid"
}

# Twice on a new directory: somebody else may take a port between choosing and using it.
start() {
  command -v java >/dev/null || fail "no Java here: apt-get install default-jre-headless"
  fetch
  local fresh=0 attempt
  for attempt in 1 2; do
    running && break
    [[ -s $dir/address ]] || { fresh=1 && prepare; }
    launch
    for _ in {1..600}; do
      answers "$(<"$dir/address")" && answers "$(<"$dir/sasl_address")" && break 2
      running || break
      sleep 0.1
    done
    halt KILL
    ((fresh && attempt == 1)) || fail "it does not start: $(tail -5 "$dir/log")"
    rm -rf "$dir"
  done
  cat "$dir/address"
}

# halt SIGNAL: to java and to the `timeout` around it, which are a process group.
halt() {
  running || return 0
  local pid
  pid=$(<"$dir/pid")
  kill "-$1" -- "-$pid" 2>/dev/null || true
  for _ in {1..300}; do
    kill -0 -- "-$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL -- "-$pid" 2>/dev/null || true
  rm -f "$dir/pid"
}

command=${1:-help}
if [[ $command == topics ]]; then
  exec java -Xmx256m -cp "$jars/*" org.apache.kafka.tools.TopicCommand "${@:2}"
fi
[[ $command == fetch || -n ${2:-} ]] || fail "usage: broker.sh start|stop|kill|remove|url DIR, or topics ..."
dir=$(readlink -m "${2:-.}")
case $command in
  fetch) fetch ;;
  start) start ;;
  stop) halt TERM ;;
  kill) halt KILL ;;
  remove)
    halt KILL
    rm -rf "$dir"
    ;;
  url) cat "$dir/address" ;;
  *) fail "unknown command '$command'" ;;
esac
