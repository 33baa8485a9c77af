/* Search without a server: opened as a file, a page may not start a worker, so an iframe stands in for it. */
window.IFrameWorker = class extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    this.frame = frame;
    const inside = frame.contentWindow;
    inside.postMessage = (data) => {
      const said = new MessageEvent("message", { data });
      this.dispatchEvent(said);
      if (this.onmessage) this.onmessage(said);
    };
    inside.importScripts = (...urls) => Promise.all(urls.map((each) => this.load(each)));
    this.ready = this.load(url);
  }
  load(url) {
    const script = this.frame.contentDocument.createElement("script");
    script.src = url;
    this.frame.contentDocument.body.append(script);
    return new Promise((loaded, failed) => Object.assign(script, { onload: loaded, onerror: failed }));
  }
  postMessage(data) {
    const inside = this.frame.contentWindow;
    this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
  }
  terminate() {
    this.frame.remove();
  }
};
if (location.protocol === "file:") window.Worker = window.IFrameWorker;
