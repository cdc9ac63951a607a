/* Peers: other engines behind one small C interface, each a plugin that is loaded when it is
 * there. A plugin exports one symbol, `pk_peer_get`, of type pk_peer_get_fn. What it can do
 * is asked by interface name; the stage that uses an interface declares its struct. */
#ifndef PKI_MEASURE_PEER_H
#define PKI_MEASURE_PEER_H

typedef struct pk_peer {
  const char *name;                           /* "mujoco" */
  const char *version;                        /* "2.2.2" */
  const char *note;                           /* what a reader of its figures should know, "" when nothing */
  const void *(*interface)(const char *name); /* a table of functions, NULL: not offered */
} pk_peer;

typedef const pk_peer *(*pk_peer_get_fn)(void);

/* All peers found, in order of name: plugins `pronk_peer_*.so` in the folder PRONK_PEERS
 * names, else in `peers/` beside the running program, else in the installed
 * lib/pronk/peers. At most `most`; returns how many. */
int pki_peers_load(const pk_peer **peers, int most);

#endif
