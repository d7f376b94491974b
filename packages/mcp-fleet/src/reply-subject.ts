/** What is answered. */
export type ReplyKind = 'call' | 'define' | 'probe';

/** Who asks, for what, and who is to answer. */
export interface ReplyPlace {
  readonly kind: ReplyKind;
  readonly asker: string;
  readonly answerer: string;
}

const ID = /^[A-Za-z0-9_-]{16,64}$/;

/** Where one request is answered. Who answers is the last token, so that a bus can hold each node to its name. */
export function replySubject({ kind, asker, answerer }: ReplyPlace, id: string): string {
  return `reply.${asker}.${kind}.${id}.${answerer}`;
}

/** All answers of one kind to one node. */
export function allReplies(kind: ReplyKind, asker: string): string {
  return `reply.${asker}.${kind}.*.*`;
}

/**
 * The id of a request, from where it is to be answered. `undefined` for any other place than that of who asks: nobody is
 * to be made to speak to somebody else.
 */
export function readReplyTo(replyTo: string | undefined, place: ReplyPlace): string | undefined {
  const id = replyTo?.split('.')[3];
  return id !== undefined && ID.test(id) && replyTo === replySubject(place, id) ? id : undefined;
}

/** Which request an answer is to, and who sent it. */
export function readReplySubject(subject: string): { readonly id: string; readonly answerer: string } {
  const [, , , id = '', answerer = ''] = subject.split('.');
  return { id, answerer };
}
