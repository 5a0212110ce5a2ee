import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { buildSchema, Source, type GraphQLSchema } from 'graphql';

/** What the build makes of the `.graphql` files of the command line and the console. */

const { typedOperations } = (await import(
  pathToFileURL(join(process.cwd(), 'scripts/typed-operations.mjs')).href
)) as { typedOperations: (schema: GraphQLSchema, sources: Source[]) => Promise<string> };

const SCHEMA = buildSchema(`
  scalar DateTime
  enum Kind { HUMAN MACHINE }
  input Range { from: DateTime!, to: DateTime }
  type Person { id: ID!, name: String!, kind: Kind!, age: Int, friends: [Person!]! }
  type Query { person(id: ID!): Person, people(kinds: [Kind!], born: Range): [Person!]! }
`);

const WHOLE = buildSchema(`
  interface Node { id: ID! }
  type Person implements Node { id: ID!, name: String! }
  type Reason { text: String!, code: Int!, cause: Reason, person: Person }
  type Answer { id: ID!, isAllowed: Boolean!, reasons: [Reason!]!, about: Node, use(first: Int): [Reason!]! }
  type Query { answer: Answer! }
`);

const PEOPLE = `
  query People($kinds: [Kind!], $born: Range, $withAge: Boolean!) {
    people(kinds: $kinds, born: $born) { ...Friend kind age @include(if: $withAge) }
  }
  query Nearest($id: ID!) { person(id: $id) { friends { id } } }
  fragment Friend on Person { id name }
  fragment Alone on Person { age }
`;

const typed = (text: string, schema = SCHEMA): Promise<string> =>
  typedOperations(schema, [new Source(text, 'cli/people.graphql')]);

describe('typed operations', () => {
  test('have results and fragments without anything that the schema does not promise', async () => {
    const lines = (await typed(PEOPLE)).split('\n');
    expect(lines).toContain(
      'export type PeopleResult = { readonly people: ReadonlyArray<{ readonly kind: Kind, readonly age?: number | null, readonly id: string, readonly name: string }> };',
    );
    expect(lines).toContain(
      'export type NearestResult = { readonly person: { readonly friends: ReadonlyArray<{ readonly id: string }> } | null };',
    );
    expect(lines).toContain('export type Friend = { readonly id: string, readonly name: string };');
    expect(lines).toContain('export type Alone = { readonly age: number | null };');
  });

  test('have variables with the enums and inputs of the schema', async () => {
    const text = (await typed(PEOPLE)).replaceAll(/\s+/g, ' ');
    expect(text).toContain("export type Kind = | 'HUMAN' | 'MACHINE';");
    expect(text).toContain(
      'export type Range = { readonly from: string; readonly to?: string | null | undefined; };',
    );
    expect(text).toContain(
      'PeopleVariables = Exact<{ kinds?: ReadonlyArray<Kind> | null | undefined; born?: Range | null | undefined; withAge: boolean; }>;',
    );
  });

  test('are texts with the fragments in their places', async () => {
    const lines = (await typed(PEOPLE)).split('\n');
    expect(lines).toContain(
      'export const People: Operation<PeopleResult, PeopleVariables> = { name: \'People\', text: "query People($kinds:[Kind!]$born:Range$withAge:Boolean!){people(kinds:$kinds born:$born){...on Person{id name}kind age@include(if:$withAge)}}" };',
    );
    expect(lines).toContain(
      'export const Nearest: Operation<NearestResult, NearestVariables> = { name: \'Nearest\', text: "query Nearest($id:ID!){person(id:$id){friends{id}}}" };',
    );
  });

  test('are refused with the file and the place of each fault', async () => {
    const faults = typed('query Wrong($id: ID!) {\n  person(id: 1) { nam }\n}');
    await expect(faults).rejects.toThrow(/Cannot query field "nam".*\n\ncli\/people\.graphql:2:19/);
    await expect(faults).rejects.toThrow(
      /Variable "\$id" is never used.*\n\ncli\/people\.graphql:1:13/,
    );
  });

  test.each([
    ['query All { answer @everyMember { isAllowed } }', 'isAllowed id reasons{text code}'],
    [
      'query All { answer @everyMember { key: id isAllowed } }',
      'key:id isAllowed reasons{text code}',
    ],
    [
      'query All { answer @everyMember(except: ["id", "isAllowed"]) { reasons { text } } }',
      'reasons{text}',
    ],
    [
      'query All { answer { reasons { ...Whole } } } fragment Whole on Reason @everyMember { text }',
      'reasons{...on Reason{text code}}',
    ],
  ])('select in %s all values, but no entities or lists with arguments', async (text, members) => {
    expect(await typed(text, WHOLE)).toContain(`text: "query All{answer{${members}}}"`);
  });

  test('have the types of every member', async () => {
    const text = await typed('query All { answer @everyMember { id } }', WHOLE);
    expect(text).toContain(
      'AllResult = { readonly answer: { readonly id: string, readonly isAllowed: boolean, readonly reasons: ReadonlyArray<{ readonly text: string, readonly code: number }> } };',
    );
  });

  test('leave out no member that the type does not have', async () => {
    const text = 'query All {\n  answer @everyMember(except: ["ids"]) { id }\n}';
    await expect(typed(text, WHOLE)).rejects.toThrow('Type "Answer" has no member "ids"');
  });
});
