/**
 * What a target is known to fail: the run, the target's name, the scenario and the reason. What the first target fails
 * cannot pass through any other, so an entry for the first one holds for all of them.
 * @type {readonly { run: string, target: string, scenario: string, reason: string }[]}
 */
export const expectedServerFailures = [];
