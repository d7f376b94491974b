import type { ManagerError } from '../errors.js';

/** By each error that an HTTP 503 led to: the same failure, of a request that may run twice with the effect of once. */
const busyErrors = new WeakMap<object, ManagerError>();

/** @returns `error`, which `isUnavailableError` recognises from now on. */
export function markUnavailable(error: ManagerError, busy: ManagerError): ManagerError {
  busyErrors.set(error, busy);
  return error;
}

/** Whether the request was answered with HTTP 503, which does not say what the server did with it. */
export function isUnavailableError(error: unknown): error is ManagerError {
  return typeof error === 'object' && error !== null && busyErrors.has(error);
}

/** The `busy` that stands for the error where the request may run twice: it can be made again. */
export function busyInstead(error: ManagerError): ManagerError {
  return busyErrors.get(error) ?? error;
}
