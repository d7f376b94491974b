import type { ManagedServer, ServerSpec, ServerSpecs, StdioServerSpec } from '@x/mcp-client-manager';
import type { Config, ServerConfig } from '@x/mcp-config-schema';
import type { FleetSource, SourceRegistry } from '@x/mcp-fleet';
import type { HostServer } from '@x/mcp-host-sync';
import type { Registry, RoleRules, ToolSource } from '@x/mcp-registry';
import type { RoleRule } from '@x/mcp-registry/roles';
import type { ToolSourceState } from '@x/mcp-registry/sources';
import { expectTypeOf, test } from 'vitest';

test('a loaded server entry is a server spec as it stands', () => {
  expectTypeOf<ServerConfig>().toExtend<ServerSpec>();
  expectTypeOf<Config>().toExtend<ServerSpecs>();
});

test('the groups of a loaded server entry have the fields of those of a spec', () => {
  type Group<Name extends keyof StdioServerSpec> = NonNullable<StdioServerSpec[Name]>;
  expectTypeOf<keyof ServerConfig['limits']>().toEqualTypeOf<keyof Group<'limits'>>();
  expectTypeOf<keyof ServerConfig['restart']>().toEqualTypeOf<keyof Group<'restart'>>();
  expectTypeOf<keyof ServerConfig['health']>().toEqualTypeOf<keyof Group<'health'>>();
});

test('a managed server is a tool source as it stands', () => {
  expectTypeOf<ManagedServer>().toExtend<ToolSource>();
  // Only a server of another node can be unreachable.
  expectTypeOf<ManagedServer['state']>().toEqualTypeOf<Exclude<ToolSourceState, 'unreachable'>>();
});

test('the role restrictions of a config are the role rules of a registry', () => {
  expectTypeOf<Config['roles']>().toExtend<RoleRules>();
  // What is optional fits by being left out too, so each field has to be there under its name and with its type.
  expectTypeOf<keyof RoleRule>().toExtend<keyof Config['roles'][number]>();
  expectTypeOf<Required<Config['roles'][number]>>().toExtend<Required<RoleRule>>();
});

test('a managed server can be offered to a fleet, and what a fleet offers is a tool source', () => {
  expectTypeOf<ManagedServer>().toExtend<FleetSource>();
  expectTypeOf<FleetSource>().toExtend<ToolSource>();
  expectTypeOf<Registry>().toExtend<SourceRegistry>();
});

test('a loaded server can be written into the files of hosts as it stands', () => {
  expectTypeOf<ServerConfig>().toExtend<HostServer>();
  // Both sides could be optional: the key itself has to exist on both.
  expectTypeOf<keyof HostServer & keyof ServerConfig>().toEqualTypeOf<
    'name' | 'transport' | 'disabled' | 'allowedTools' | 'deniedTools' | 'secrets' | 'sensitive'
  >();
});
