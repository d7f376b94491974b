import { type ListeningServer, startListening } from './listening-process.js';

export type ConformanceHttp = ListeningServer;

/** Starts the `conformance-http` server and resolves when it listens. */
export function startConformanceHttp(): Promise<ConformanceHttp> {
  return startListening('conformance-http');
}
