import { type ListeningServer, startListening } from './listening-process.js';

export type HttpEcho = ListeningServer;

/** Starts the `http-echo` server and resolves when it listens. */
export function startHttpEcho(): Promise<HttpEcho> {
  return startListening('http-echo');
}
