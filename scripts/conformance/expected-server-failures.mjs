/**
 * What a target is known to fail: the run, the target's name, the scenario and the reason. What the first target fails
 * cannot pass through any other, so an entry for the first one holds for all of them.
 * @type {readonly { run: string, target: string, scenario: string, reason: string }[]}
 */
export const expectedServerFailures = [
  ...['all', '2025-11-25'].map((run) => ownStream(run, 'gateway')),
  ownStream('all', 'gateway to two servers'),
  ownStream('2025-11-25', 'gateway to a 2025 server'),
];

function ownStream(run, target) {
  return {
    run,
    target,
    scenario: 'server-sse-polling',
    reason: 'a tool ends the stream of its own call, and the client resumes it; a server over stdio has no such stream',
  };
}
