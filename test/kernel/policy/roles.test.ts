import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../../../src/base/errors.js';
import {
  normaliseAttributes,
  normaliseRoles,
  parseRoleFilter,
  parseRoles,
  parseSemantic,
} from '../../../src/kernel/policy/roles.js';
import { rolesDisplay } from '../../../src/kernel/policy/roles-display.js';

function refusal(attempt: () => unknown): { field: string; value: unknown } {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ApiError && error.detail?.kind === 'field') {
      expect(error.code).toBe('COULD_NOT_VALIDATE');
      return { field: error.detail.field, value: error.detail.value };
    }
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a role list', () => {
  test.each([
    ['is a set in byte order', ['@b', '#é', '#a', '@b', '#Z'], ['#Z', '#a', '#é', '@b']],
    ['may be empty', [], []],
    ['may say #all', ['#all', '#all'], ['#all']],
    ['may have an attribute that looks like a role', ['##x', '#@y'], ['##x', '#@y']],
    ['may have an attribute that begins with all', ['#all ', '#ALL'], ['#ALL', '#all ']],
  ])('%s', (_, roles, expected) => {
    expect(normaliseRoles('serviceRoles', roles)).toEqual(expected);
  });

  test.each([
    ['entries without prefix', ['#a', 'b', '', '@c', 'd'], ['b', '', 'd']],
    ['prefixes without a name', ['#', '#a', '@'], ['#', '@']],
    ['#all beside others', ['@b', '#all'], ['#all', '@b']],
    ['text that can not be stored', ['#a\0', '#\ud800', '#\u{1f600}'], ['#a\0', '#\ud800']],
  ])('refuses %s', (_, roles, value) => {
    expect(refusal(() => normaliseRoles('serviceRoles', roles))).toEqual({
      field: 'serviceRoles',
      value,
    });
  });

  test('is taken apart without prefixes, #all not being an attribute', () => {
    expect(parseRoles(['#a', '##b', '@c', '@@d'])).toEqual({
      all: false,
      attributes: ['a', '#b'],
      ids: ['c', '@d'],
    });
    expect(parseRoles(['#all'])).toEqual({ all: true, attributes: [], ids: [] });
  });

  test('is displayed in its order under current names, without ids of nobody', () => {
    const names = new Map([['1', 'first router']]);
    expect(rolesDisplay(['#a', '@1', '@2', '#all'], (id) => names.get(id))).toEqual([
      { role: '#a', name: '#a' },
      { role: '@1', name: '@first router' },
      { role: '#all', name: '#all' },
    ]);
  });
});

describe('the role attributes of an entity', () => {
  test('are a set in byte order', () => {
    expect(normaliseAttributes('roleAttributes', ['b', 'A', '', 'a b', 'b'])).toEqual([
      '',
      'A',
      'a b',
      'b',
    ]);
  });

  test('have no prefix', () => {
    expect(refusal(() => normaliseAttributes('roleAttributes', ['a', '#b', '@c', 'd#']))).toEqual({
      field: 'roleAttributes',
      value: ['#b', '@c'],
    });
  });
});

describe('a role filter', () => {
  test('takes #all as the attribute all', () => {
    expect(parseRoleFilter(['#all', '@x'])).toEqual({
      all: false,
      attributes: ['all'],
      ids: ['x'],
    });
  });

  test('refuses entries without prefix', () => {
    expect(refusal(() => parseRoleFilter(['#a', 'b']))).toEqual({
      field: 'roleFilter',
      value: ['b'],
    });
  });
});

describe('a semantic', () => {
  test.each([
    ['AllOf', 'AllOf'],
    ['anyof', 'AnyOf'],
  ])('%s is %s', (text, expected) => {
    expect(parseSemantic('semantic', text)).toBe(expected);
  });

  test('refuses other words', () => {
    expect(refusal(() => parseSemantic('semantic', 'OneOf'))).toEqual({
      field: 'semantic',
      value: 'OneOf',
    });
  });
});
