import { randomBytes } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';

/** What a tool has to remember between two rounds. */
export interface RoundState {
  readonly tool: string;
  readonly round: number;
  /** What the user said in an earlier round. */
  readonly name?: string;
}

/** Signs what a client carries from round to round. Whoever changes a letter of it is refused. */
export const requestState = createRequestStateCodec<RoundState>({ key: randomBytes(32) });
