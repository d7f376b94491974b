import { expect, test } from 'vitest';
import { announcedCapabilities, type ClientHandlers } from '../../../src/session/server-requests/client-handlers.js';

const answer = (): object => ({});

test.each<[ClientHandlers, object, object]>([
  [{}, {}, {}],
  [{}, { roots: {}, elicitation: {} }, { roots: {}, elicitation: {} }],
  [{ roots: answer }, { roots: {} }, { roots: { listChanged: true } }],
  [{ samplingWithTools: answer }, { sampling: { context: {} } }, { sampling: { context: {}, tools: {} } }],
  [{ urlElicitation: answer }, { elicitation: {} }, { elicitation: { form: {}, url: {} } }],
  [{ elicitation: answer }, { elicitation: {} }, { elicitation: { form: {} } }],
  [{ elicitation: answer }, { elicitation: { url: {} } }, { elicitation: { form: {}, url: {} } }],
  [{ sampling: answer }, { extensions: { 'a/b': {} }, sampling: 5 }, { extensions: { 'a/b': {} }, sampling: {} }],
])('announces handlers %o and capabilities %j as %j', (handlers, given, expected) => {
  expect(announcedCapabilities(handlers, given as Record<string, unknown>)).toEqual(expected);
});
