import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeError, readReply } from '../../../src/calls/wire/replies.js';
import {
  failureOf,
  ownersError,
  readWireError,
  shortFailure,
  toFleetError,
  type WireError,
} from '../../../src/calls/wire/wire-error.js';
import { FleetError } from '../../../src/errors.js';

const place = { node: 'owner', server: 'files' };

/** As it arrives. */
function crossed(error: WireError): FleetError {
  const reply = readReply(encodeError(error));
  if (reply?.kind !== 'error') throw new Error('It was no error any more');
  return toFleetError(reply.error, place);
}

test('an error of a source arrives with its name, message and code, without its stack', () => {
  const thrown = Object.assign(new RangeError('The disk is full'), {
    code: 'ENOSPC',
    stderrTail: ['secret'],
    path: '/x',
  });
  const error = crossed({ source: failureOf(thrown) });
  expect(error).toMatchObject({
    ...{ code: 'source-error', message: 'The disk is full', node: 'owner', server: 'files' },
    ...{ sourceCode: 'ENOSPC', retryable: false, rpc: undefined },
    cause: expect.objectContaining({ name: 'RangeError', message: 'The disk is full', code: 'ENOSPC' }),
  });
  expect((error.cause as Error).stack).toBe('RangeError: The disk is full');
  expect(JSON.stringify({ ...error })).not.toContain('secret');
});

test('the JSON-RPC error of a server arrives unchanged', () => {
  const rpc = { code: -32042, message: 'Sign in', data: { elicitations: [{ url: 'https://example.com' }] } };
  const thrown = Object.assign(new Error('refused'), { code: 'server-error', retryable: true, rpc });
  expect(crossed({ source: failureOf(thrown) })).toMatchObject({ sourceCode: 'server-error', retryable: true, rpc });
});

test('an error that is itself a JSON-RPC error arrives as one', () => {
  const thrown = Object.assign(new Error('Method not found'), { code: -32601, data: 'x' });
  expect(crossed({ source: failureOf(thrown) })).toMatchObject({
    sourceCode: -32601,
    rpc: { code: -32601, message: 'Method not found', data: 'x' },
  });
});

test('any thrown value arrives as an error', () => {
  fc.assert(
    fc.property(fc.anything(), (thrown) => {
      const failure = failureOf(thrown);
      expect(failure).toMatchObject({ name: expect.any(String), message: expect.any(String) });
    }),
  );
});

test.each<[string, unknown, object]>([
  ['data with a circle', withData((data) => Object.assign(data, { data })), { sourceCode: -32000, message: 'no' }],
  ['data with a BigInt', withData((data) => Object.assign(data, { n: 1n })), { sourceCode: -32000, message: 'no' }],
  ['data that is no JSON', withData(() => () => 1), { rpc: { code: -32000, message: 'no' } }],
  ['data that says what it is', withData(() => new Date(0)), { rpc: { data: '1970-01-01T00:00:00.000Z' } }],
  [
    'what throws when it is looked at',
    {
      get message() {
        throw new Error('again');
      },
    },
    { code: 'source-error' },
  ],
  [
    'what throws when it is written',
    [
      {
        toString: () => {
          throw new Error('again');
        },
      },
    ],
    { code: 'source-error' },
  ],
  ['what has no text at all', [Object.create(null)], { code: 'source-error' }],
])('%s keeps no failure from crossing', (_, thrown, expected) => {
  expect(crossed({ source: failureOf(thrown) })).toMatchObject(expected);
});

function withData(make: (data: object) => unknown): Error {
  return Object.assign(new Error('no'), { code: -32000, data: make({}) });
}

test('an error of the owner arrives with its code', () => {
  const found = new FleetError('busy', 'Too many');
  expect(crossed(ownersError(found))).toMatchObject({
    code: 'busy',
    message: 'Too many',
    retryable: true,
    node: 'owner',
  });
  expect(crossed(ownersError(new FleetError('refused', 'No', { retryable: true })))).toMatchObject({ retryable: true });
});

test('a code that an owner must not send becomes a source error', () => {
  expect(crossed(ownersError(new FleetError('bus-down', 'cut off')))).toMatchObject({
    code: 'source-error',
    sourceCode: 'bus-down',
  });
  expect(toFleetError(readWireError({ fleet: 'superseded', message: 'x' }), place)).toMatchObject({
    code: 'invalid-message',
  });
});

test('any error message of an owner is readable', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('fleet', 'source', 'message', 'retryable', 'x'), fc.anything()),
      (wire) => {
        expect(toFleetError(readWireError(wire), place)).toBeInstanceOf(FleetError);
      },
    ),
  );
});

test('long messages are cut, and their details if necessary', () => {
  const thrown = Object.assign(new Error('x'.repeat(100_000)), { code: -32000, data: 'y'.repeat(100_000) });
  expect(failureOf(thrown).message.length).toBeLessThan(20_000);
  expect(encodeError({ source: shortFailure(failureOf(thrown)) }).byteLength).toBeLessThan(1_000);
  expect(shortFailure(failureOf(thrown))).toMatchObject({ code: -32000, rpc: { code: -32000 } });
});
