export type ReplyKind = 'call' | 'define' | 'probe';

export interface ReplyPlace {
  readonly kind: ReplyKind;
  readonly asker: string;
  readonly answerer: string;
}

const ID = /^[A-Za-z0-9_-]{16,64}$/;

/** Subject of the reply to one request. Its last token is the sender of the reply, so that permissions can bind it. */
export function replySubject({ kind, asker, answerer }: ReplyPlace, id: string): string {
  return `reply.${asker}.${kind}.${id}.${answerer}`;
}

export function allReplies(kind: ReplyKind, asker: string): string {
  return `reply.${asker}.${kind}.*.*`;
}

/**
 * Id of a request. `undefined` unless the reply subject belongs to the sender: no node can direct replies to another
 * node.
 */
export function readReplyTo(replyTo: string | undefined, place: ReplyPlace): string | undefined {
  const id = replyTo?.split('.')[3];
  return id !== undefined && ID.test(id) && replyTo === replySubject(place, id) ? id : undefined;
}

export function readReplySubject(subject: string): { readonly id: string; readonly answerer: string } {
  const [, , , id = '', answerer = ''] = subject.split('.');
  return { id, answerer };
}
