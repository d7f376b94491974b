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

type ReplyKind = 'call' | 'define' | 'probe';

interface ReplyRoute {
  readonly kind: ReplyKind;
  readonly requester: string;
  readonly responder: string;
}

const ID = /^[A-Za-z0-9_-]{16,64}$/;

/** Subject of the reply to one request. Its last token is the sender of the reply, so that permissions can bind it. */
export function replySubject({ kind, requester, responder }: ReplyRoute, id: string): string {
  return `reply.${requester}.${kind}.${id}.${responder}`;
}

export function allReplies(kind: ReplyKind, requester: string): string {
  return `reply.${requester}.${kind}.*.*`;
}

/**
 * Id of a request. `undefined` unless the reply subject belongs to the sender: no node can direct replies to another
 * node.
 */
export function readReplyTo(replyTo: string | undefined, route: ReplyRoute): string | undefined {
  const id = replyTo?.split('.')[3];
  return id !== undefined && ID.test(id) && replyTo === replySubject(route, id) ? id : undefined;
}

export function readReplySubject(subject: string): { readonly id: string; readonly responder: string } {
  const [, , , id = '', responder = ''] = subject.split('.');
  return { id, responder };
}

/** Permissions of one node on a broker, as subscription patterns without the driver's prefix. */
export interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Writable keys of the bucket. Every node may read all keys. */
  readonly write: readonly string[];
}

/**
 * Least permissions of a node: it writes its own keys, subscribes to its own subjects, and publishes under its own
 * name, the last token of each subject. Every node may write singleton keys; compare-and-set protects holders.
 */
export function nodePermissions(node: string): BusPermissions {
  return {
    publish: [`call.*.*.${node}`, `control.*.${node}`, `define.*.${node}`, `defined.${node}`, `reply.*.*.*.${node}`],
    subscribe: [`call.${node}.>`, `control.${node}.>`, `define.${node}.>`, 'defined.*', `reply.${node}.>`],
    write: [`lease.${node}`, `server.${node}.>`, 'singleton.>'],
  };
}
