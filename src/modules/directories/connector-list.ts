import type { DirectoryConnector } from './connector.ts';
import type { DirectoryHttp } from './directory-http.ts';
import { type ExecuteCall, SandboxConnector } from './sandbox-connector.ts';
import type { SandboxAccess } from './sandbox-control.ts';

interface ConnectorParts {
  http: DirectoryHttp;
  /** The client policy of the directory. */
  execute: ExecuteCall;
  sandbox: SandboxAccess;
}

type Connect = (parts: ConnectorParts) => DirectoryConnector;

const inSandbox =
  (path: string): Connect =>
  ({ sandbox: access, http, execute }) =>
    new SandboxConnector({ path, access, http, execute });

export const connectorList: Readonly<Record<string, Connect>> = {
  GOOGLE: inSandbox('google'),
  FACEBOOK: inSandbox('facebook'),
  APPLE_MAPS: inSandbox('apple-maps'),
  BING: inSandbox('bing'),
  YELP: inSandbox('yelp'),
  INSTAGRAM: inSandbox('instagram'),
  FOURSQUARE: inSandbox('foursquare'),
  TRIP_ADVISOR: inSandbox('trip-advisor'),
  NOKIA_HERE: inSandbox('nokia-here'),
  TOMTOM: inSandbox('tomtom'),
  WAZE: inSandbox('waze'),
  YELLOW_PAGES: inSandbox('yellow-pages'),
  CYLEX: inSandbox('cylex'),
  GOLOCAL: inSandbox('golocal'),
  NEXTDOOR: inSandbox('nextdoor'),
};
