/**
 * What a target is known to fail: the run, the target's name, the scenario and the reason. What the first target fails
 * cannot pass through any other, so an entry for the first one holds for all of them.
 * @type {readonly { run: string, target: string, scenario: string, reason: string }[]}
 */
export const expectedServerFailures = [
  ...['all', '2025-11-25'].flatMap((run) => [ownStream(run, 'gateway'), ownStream(run, 'gateway by URL')]),
  ownStream('all', 'gateway to two servers'),
  ownStream('2025-11-25', 'gateway to a 2025 server'),
  ...['older tools, all', 'older tools, 2025-11-25'].map((run) => ownStream(run, 'older tools, gateway by URL')),
];

function ownStream(run, target) {
  return {
    run,
    target,
    scenario: 'server-sse-polling',
    reason:
      'a tool ends the stream of its own call, and the client resumes it; the gateway resumes the stream of a server by URL itself, and answers its client on the one that is open',
  };
}
