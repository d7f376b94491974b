import type { Collision } from './merge-parts.js';

interface Owned {
  readonly server: string;
  /** A URI, or a template of them. */
  readonly key: string;
}

/** The server whose template begins like a URI the longest; `undefined` if there is none, or more than one. */
export function ownerByTemplate(uri: string, templates: readonly Owned[]): string | undefined {
  const fitting = fittingOf(uri, templates);
  const longest = Math.max(0, ...fitting.map(({ literal }) => literal.length));
  const servers = new Set(fitting.filter(({ literal }) => literal.length === longest).map(({ server }) => server));
  return servers.size === 1 ? [...servers][0] : undefined;
}

/** Servers other than the one that lists a URI whose templates could stand for it: whose it is cannot be told then. */
export function rivalsOf({ server, key }: Owned, templates: readonly Owned[]): readonly string[] {
  const rivals = fittingOf(key, templates).filter((template) => template.server !== server);
  return [...new Set(rivals.map((template) => template.server))];
}

/** The resources that are listed by one server and may be another's by a template. */
export function contestedResources(listed: readonly Owned[], templates: readonly Owned[]): readonly Collision[] {
  return listed.flatMap((resource) => {
    const rivals = rivalsOf(resource, templates);
    return rivals.length === 0 ? [] : [{ name: resource.key, servers: [resource.server, ...rivals] }];
  });
}

/** One that begins with a variable says nothing of whose anything is. */
function fittingOf(uri: string, templates: readonly Owned[]) {
  return templates
    .map(({ server, key }) => ({ server, literal: key.split('{', 1)[0] ?? '' }))
    .filter(({ literal }) => literal !== '' && uri.startsWith(literal));
}
