import { randomBytes } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';

/** State of a tool between two rounds. */
export interface RoundState {
  readonly tool: string;
  readonly round: number;
  /** The user's input of an earlier round. */
  readonly name?: string;
}

/** Signs the state that a client returns, and rejects a modified one. */
export const requestState = createRequestStateCodec<RoundState>({ key: randomBytes(32) });
