import { nodePermissions } from '../bus/fleet-subjects.js';
import { natsNames } from './names.js';

/** Permissions of one NATS login. */
export interface NatsPermissions {
  readonly publish: { readonly allow: readonly string[] };
  readonly subscribe: { readonly allow: readonly string[] };
}

/**
 * Least permissions of a node on NATS: those of `nodePermissions`, and reading and watching the bucket. It cannot
 * delete or purge the bucket.
 *
 * @param options.domain - As in `openNatsBus`.
 * @throws {TypeError} A name is not 1 to 64 of `A-Z a-z 0-9 _ -`.
 */
export function natsPermissions(options: {
  readonly fleet?: string | undefined;
  readonly node: string;
  readonly domain?: string | undefined;
}): NatsPermissions {
  const { prefix, keyPrefix, writePrefix, apiPrefix, stream, inboxPrefix, node } = natsNames(options);
  const { publish, subscribe, write } = nodePermissions(node);
  // A server within the domain checks the mapped subject.
  const apiPrefixes = new Set(['$JS.API', apiPrefix]);
  const writePrefixes = new Set([keyPrefix, writePrefix]);
  return {
    publish: {
      allow: [
        ...publish.map((subject) => prefix + subject),
        ...Array.from(writePrefixes, (start) => write.map((key) => start + key)).flat(),
        ...Array.from(apiPrefixes, (api) => [
          `${api}.STREAM.INFO.${stream}`,
          `${api}.STREAM.CREATE.${stream}`,
          `${api}.STREAM.MSG.GET.${stream}`,
          `${api}.CONSUMER.CREATE.${stream}.>`,
          `${api}.CONSUMER.INFO.${stream}.*`,
        ]).flat(),
        `$JS.FC.${stream}.>`,
      ],
    },
    subscribe: { allow: [...subscribe.map((subject) => prefix + subject), `${inboxPrefix}.>`] },
  };
}
