import { hostPermissions } from '../bus/permissions.js';
import { natsNames } from './names.js';

/** Permissions of a user, as a NATS server's configuration and JWTs have them. */
export interface NatsPermissions {
  readonly publish: { readonly allow: readonly string[] };
  readonly subscribe: { readonly allow: readonly string[] };
}

/**
 * What a NATS server is to allow one host of a fleet: writing its own keys, sending in its own name, listening on what is
 * meant for it, and what reading and watching the bucket takes. Nothing of it deletes or purges the bucket.
 *
 * @throws {TypeError} A name is not 1 to 64 of `A-Z a-z 0-9 _ -`.
 */
export function natsPermissions(options: {
  readonly fleet?: string | undefined;
  readonly host: string;
}): NatsPermissions {
  const { prefix, keyPrefix, stream, inboxPrefix, host } = natsNames(options);
  const { publish, subscribe, write } = hostPermissions(host);
  return {
    publish: {
      allow: [
        ...publish.map((subject) => prefix + subject),
        ...write.map((key) => keyPrefix + key),
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.STREAM.CREATE.${stream}`,
        `$JS.API.STREAM.MSG.GET.${stream}`,
        `$JS.API.CONSUMER.CREATE.${stream}.>`,
        `$JS.API.CONSUMER.INFO.${stream}.*`,
        `$JS.FC.${stream}.>`,
      ],
    },
    subscribe: { allow: [...subscribe.map((subject) => prefix + subject), `${inboxPrefix}.>`] },
  };
}
