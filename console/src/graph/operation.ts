/** A document of the graph with the types of its variables and its result. */
export interface Operation<Result, Variables> {
  readonly name: string;
  readonly text: string;
  /** Never set: it carries the types. */
  readonly types?: (variables: Variables) => Result;
}
