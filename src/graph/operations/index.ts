import type { ClassType } from 'type-graphql';
import { InformationResolver } from './information.js';
import { LoginResolver } from './login.js';
import { ServicesResolver } from './services.js';
import { TrustResolver } from './trust.js';

/** The operations of the graph that are not derived from the catalog. */
export const operations: readonly ClassType[] = [
  InformationResolver,
  LoginResolver,
  ServicesResolver,
  TrustResolver,
];
