/*
 * Libraries leave out what helps their developers where this is said before they are loaded: GraphQL
 * otherwise spends a tenth of an execution on telling apart two copies of itself.
 */
process.env.NODE_ENV ??= 'production';
