import { messageOf } from '@x/internal/errors';
import { FleetError, isFleetError } from '../errors.js';

export const WRONG_LAST_SEQUENCE = [10071, 10164];
const NO_JETSTREAM = [10039, 10076];

/** Checks names and codes instead of classes, because the client may be installed twice. */
export function toFleetError(error: unknown, what: string): FleetError {
  if (isFleetError(error)) return error;
  const options = { cause: error };
  const causes = Array.from(causesOf(error));
  const named = (name: string) => causes.find((cause) => cause.name === name);
  const forbidden = named('PermissionViolationError');
  if (forbidden !== undefined) {
    return new FleetError('forbidden', `The NATS server forbids this node to ${what}: ${forbidden.message}`, options);
  }
  if (named('AuthorizationError') ?? named('UserAuthenticationExpiredError')) {
    return new FleetError(
      'forbidden',
      `The NATS server does not let this node in: ${messageOf(error)}. Check the credentials and that they belong to this server`,
      options,
    );
  }
  if (hasCode(error, WRONG_LAST_SEQUENCE)) {
    return new FleetError('conflict', `Could not ${what}: another writer changed it`, options);
  }
  if (named('JetStreamNotEnabled') ?? hasCode(error, NO_JETSTREAM)) return noJetStream(what, error);
  if (named('TimeoutError')) {
    return new FleetError('bus-down', `Could not ${what}: the NATS server did not answer in time`, options);
  }
  return new FleetError('bus-down', `Could not ${what}: ${messageOf(error)}`, options);
}

function noJetStream(what: string, cause: unknown): FleetError {
  return new FleetError(
    'unsuitable-bus',
    `Could not ${what}: the NATS server has no JetStream for this account, and a fleet keeps its keys there. Start nats-server with --jetstream, or set "jetstream: enabled" in its configuration, for the account too if there are accounts. Behind a leaf node, name the domain of the servers that have the fleet's keys`,
    { cause },
  );
}

export function isUndelivered(error: unknown): boolean {
  return Array.from(causesOf(error)).some((cause) => cause.name === 'NoResponders');
}

/** True if no reply came in time; a late one is possible. */
export function isTimeoutError(error: unknown): boolean {
  return Array.from(causesOf(error)).some((cause) => cause.name === 'TimeoutError');
}

export function hasCode(error: unknown, codes: readonly number[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(error.code as number);
}

function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}
