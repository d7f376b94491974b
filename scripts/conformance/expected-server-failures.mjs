/**
 * What a target is known to fail: the run, the target's name, the scenario and the reason. What the first target fails
 * cannot pass through any other, so an entry for the first one holds for all of them.
 * @type {readonly { run: string, target: string, scenario: string, reason: string }[]}
 */
export const expectedServerFailures = [
  ...['all', '2025-11-25'].map((run) => ({ run, target: 'gateway', ...ownStream() })),
  { run: 'all', target: 'gateway to two servers', ...ownStream() },
  { run: '2025-11-25', target: 'gateway to a 2025 server', ...ownStream() },
];

function ownStream() {
  return {
    scenario: 'server-sse-polling',
    reason:
      'a tool ends the stream of its own call, and the client resumes it; the gateway reaches the server over stdio, where there is no such stream, and answers on the one that is open',
  };
}
