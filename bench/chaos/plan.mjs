/** How often each fault comes, in parts of all of them. */
export const faultWeights = {
  kill: 29,
  term: 10,
  pause: 17,
  hang: 9,
  'exit in a call': 9,
  'garbage on stdout': 10,
  restart: 9,
  'stop and start': 7,
};

/** The ways that a call takes to its server, in turns. */
export const ways = ['manager', 'registry', 'gateway'];

/**
 * All calls and faults of a run, in the order of their times. The same seed gives the same plan.
 *
 * @param options.servers - Names of the servers.
 * @returns `calls`: `{ atMs, id, server, way, workMs }`; `faults`: `{ atMs, kind, server, forMs }`, one a second.
 */
export function planChaos({ seed, seconds, servers, callsPerSecond = 48 }) {
  const callChance = chanceFrom(seed);
  const faultChance = chanceFrom(seed ^ 0x5f_37_59_df);
  const calls = Array.from({ length: Math.floor(seconds * callsPerSecond) }, (_, index) => ({
    atMs: ((index + callChance()) * 1_000) / callsPerSecond,
    id: `call-${index}`,
    server: oneOf(servers, callChance),
    way: ways[index % ways.length],
    workMs: Math.floor(callChance() * 40),
  }));
  const kinds = Object.entries(faultWeights).flatMap(([kind, parts]) => Array(parts).fill(kind));
  const faults = Array.from({ length: Math.floor(seconds) }, (_, index) => ({
    atMs: (index + faultChance()) * 1_000,
    kind: oneOf(kinds, faultChance),
    server: oneOf(servers, faultChance),
    forMs: 500 + Math.floor(faultChance() * 14_500),
  }));
  return { calls, faults };
}

function oneOf(list, chance) {
  return list[Math.floor(chance() * list.length)];
}

/** Numbers from 0 up to 1 that depend on the seed alone: the generator "mulberry32". */
function chanceFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}
