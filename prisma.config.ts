import { defineConfig } from 'prisma/config';

// The CLI demands a default export here; it only ever generates the client.
export default defineConfig({ schema: 'prisma/schema.prisma' });
