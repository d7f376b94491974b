/**
 * What the manager fails: the revision, the scenario and the reason. A scenario that the SDK's own client passes has no
 * place here, and neither has one that the manager passes by now.
 * @type {readonly { revision: string, scenario: string, reason: string }[]}
 */
export const expectedClientFailures = [];
