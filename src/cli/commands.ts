interface Command {
  summary: string;
  /** Loaded when it is called, so that no command waits for the parts of another. */
  load(): Promise<(args: string[]) => Promise<number>>;
}

/** Every command by its name, in the order of "waypost help". */
export const commands: Readonly<Record<string, Command>> = {
  // To run the service.
  start: {
    summary: 'run the whole platform in this process: API, deliveries and jobs',
    load: async () => (await import('./service-commands.ts')).startCommand,
  },
  serve: {
    summary: 'run the API alone; deliveries are made by "waypost work"',
    load: async () => (await import('./service-commands.ts')).serveCommand,
  },
  work: {
    summary: 'run a worker alone, one of any number on the same database',
    load: async () => (await import('./service-commands.ts')).workCommand,
  },

  // To set it up.
  config: {
    summary: 'print every setting with its default, its value and its meaning',
    load: async () => (await import('./config-command.ts')).configCommand,
  },
  partners: {
    summary: 'create and list partners and replace their private keys, on the database itself',
    load: async () => (await import('./partners-command.ts')).partnersCommand,
  },
  versions: {
    summary: 'print the change record of the API, or what a client must change between two versions',
    load: async () => (await import('./versions-command.ts')).versionsCommand,
  },
  certificate: {
    summary: 'make a self-signed certificate, to try HTTPS with',
    load: async () => (await import('./certificate-command.ts')).certificateCommand,
  },

  // To try it out.
  listen: {
    summary: 'receive deliveries on this machine, verify them and print them as they come',
    load: async () => (await import('./listen-command.ts')).listenCommand,
  },
  demo: {
    summary: 'have demo data made: businesses, locations, listings, reviews, insights',
    load: async () => (await import('./demo-command.ts')).demoCommand,
  },
  emit: {
    summary: 'record example events',
    load: async () => (await import('./emit-command.ts')).emitCommand,
  },
  sandbox: {
    summary: 'make things happen in the sandbox directories: reviews, changes, outages',
    load: async () => (await import('./sandbox-command.ts')).sandboxCommand,
  },
};
