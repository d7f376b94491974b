// What the suite's checks of one scenario say. They come as a list, in which a name may occur more than once.

const bad = new Set(['FAILURE', 'WARNING']);
const statuses = ['INFO', 'SKIPPED', 'SUCCESS', 'WARNING', 'FAILURE'];

/**
 * @param {readonly { id: string, status: string }[]} checks
 * @returns {Map<string, string>} The worst status under each name.
 */
export function worstStatuses(checks) {
  const worst = new Map();
  for (const { id, status } of checks) {
    const known = worst.get(id);
    if (statuses.indexOf(status) > statuses.indexOf(known)) worst.set(id, status);
  }
  return worst;
}

/** The names under which something failed. */
export function failures(worst) {
  return [...worst].filter(([, status]) => bad.has(status)).map(([check]) => check);
}

/** What `theirs` was seen to do and `ours` was not. */
export function lostChecks(theirs, ours) {
  const passed = [...theirs].filter(([, status]) => status === 'SUCCESS').map(([check]) => check);
  return passed.filter((check) => ours.get(check) !== 'SUCCESS');
}

/** How many of `statuses` are a success, out of those that are a success or a failure. */
export function countPassed(statuses) {
  const counted = [...statuses].filter((status) => status === 'SUCCESS' || bad.has(status));
  return { passed: counted.filter((status) => status === 'SUCCESS').length, counted: counted.length };
}
