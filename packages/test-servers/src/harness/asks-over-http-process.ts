import { type ListeningServer, startListening } from './listening-process.js';

export type AsksOverHttp = ListeningServer;

/** Starts the `asks-over-http` server and resolves when it listens. */
export function startAsksOverHttp(): Promise<AsksOverHttp> {
  return startListening('asks-over-http');
}
