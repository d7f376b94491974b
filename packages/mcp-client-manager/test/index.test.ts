import { expect, test } from 'vitest';
import * as entry from '../src/index.js';

test('the package exports exactly this', () => {
  expect(Object.keys(entry).sort()).toEqual([
    'ManagerError',
    'checkCommand',
    'connectionStatusOf',
    'createClientCredentialsProvider',
    'createClientManager',
    'createFileTokenStore',
    'createOAuthProvider',
    'findOrphanedProcesses',
    'isManagerError',
    'logFileName',
    'memoryByGroup',
    'preload',
  ]);
});
