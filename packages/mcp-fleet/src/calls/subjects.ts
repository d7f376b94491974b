import { decodeToken, encodeToken, isNodeName } from '../token.js';

// The last token is always the sender, so that permissions can bind each node to its name.
export const callSubject = (owner: string, server: string, edge: string) =>
  `call.${owner}.${encodeToken(server)}.${edge}`;
export const controlSubject = (owner: string, edge: string) => `control.${owner}.${edge}`;

export const allCalls = (owner: string) => `call.${owner}.>`;
export const allControls = (owner: string) => `control.${owner}.*`;

export function readCallSubject(subject: string): { readonly server: string; readonly edge: string } | undefined {
  const [, , token = '', edge, ...rest] = subject.split('.');
  const server = decodeToken(token);
  return server === undefined || !isNodeName(edge) || rest.length > 0 ? undefined : { server, edge };
}

export const senderOf = (subject: string) => subject.slice(subject.lastIndexOf('.') + 1);
