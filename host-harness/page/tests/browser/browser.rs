//! A browser with the page open.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use lictor_page::PageInput;
use serde_json::{Value, json};

#[path = "../common/not_run.rs"]
mod not_run;

/// How long something may take to appear.
const PATIENCE: Duration = Duration::from_secs(180);

/// A browser with the page open. It ends with this value.
pub(crate) struct Browser {
    client: Client,
    driver: Child,
    port: u16,
    session: String,
    file: PathBuf,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A driver that is killed leaves its browser behind.
        let _ended = end(self.port, &self.session);
        let _gone = self.driver.kill();
        let _reaped = self.driver.wait();
        let _removed = fs::remove_file(&self.file);
    }
}

/// Ends the session of a driver, and its browser with it. Nothing else of the test runs meanwhile: it may have panicked.
fn end(port: u16, session: &str) -> std::io::Result<usize> {
    let mut driver = TcpStream::connect(("127.0.0.1", port))?;
    driver.set_read_timeout(Some(PATIENCE))?;
    write!(driver, "DELETE /session/{session} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
    driver.read(&mut [0; 1])
}

/// The size of a window in pixels: its width and its height.
#[derive(Clone, Copy)]
pub(crate) struct Size(pub(crate) u32, pub(crate) u32);

/// A window on a desk.
pub(crate) const DESK: Size = Size(1500, 950);

/// A window on a phone.
pub(crate) const PHONE: Size = Size(400, 850);

impl Browser {
    /// Opens the page from a file, with this input inside; none where there is no browser.
    pub(crate) async fn open(test: &str, input: Option<PageInput<'_>>, size: Size) -> Option<Browser> {
        let browser = Browser::start(test, size).await?;
        fs::write(&browser.file, lictor_page::page(input).unwrap()).unwrap();
        let url = format!("file://{}", browser.file.display());
        browser.visit(&url).await;
        Some(browser)
    }

    /// Opens the page at this address.
    pub(crate) async fn visit(&self, url: &str) {
        self.client.goto(url).await.unwrap();
        self.gone("#starting").await;
    }

    /// Starts a browser with nothing open. `None`: the machine has no browser.
    pub(crate) async fn start(test: &str, size: Size) -> Option<Browser> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("chromedriver");
        command.arg(format!("--port={port}")).stdout(Stdio::null()).stderr(Stdio::null());
        let driver = match command.spawn() {
            Ok(driver) => driver,
            Err(error) => {
                not_run::not_run(&format!("{test}: chromedriver (apt-get install chromium chromium-driver): {error}"));
                return None;
            }
        };
        let file = env::temp_dir().join(format!("lictor-page-{test}-{port}.html"));
        let client = connect(port, size).await;
        let session = client.session_id().await.unwrap().unwrap();
        Some(Browser { client, driver, port, session, file })
    }

    /// Checks that the page has not failed.
    async fn is_sound(&self) {
        if let Ok(failed) = self.client.find(Locator::Css("#failed")).await {
            panic!("{}", failed.text().await.unwrap_or_default());
        }
    }

    /// Waits for the element that appears here.
    pub(crate) async fn find(&self, css: &str) -> Element {
        self.is_sound().await;
        let found = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(css)).await;
        match found {
            Ok(element) => element,
            Err(error) => panic!("{css} does not appear: {error}; the page says:\n{}", self.now_reads("body").await),
        }
    }

    /// Waits for the button with this text.
    pub(crate) async fn button(&self, text: &str) -> Element {
        let path = format!("//button[contains(., \"{text}\")]");
        self.client.wait().at_most(PATIENCE).for_element(Locator::XPath(&path)).await.unwrap()
    }

    /// Clicks on the element that appears here.
    pub(crate) async fn click(&self, css: &str) {
        self.find(css).await.click().await.unwrap();
    }

    /// Clicks on the button with this text.
    pub(crate) async fn press(&self, text: &str) {
        self.button(text).await.click().await.unwrap();
    }

    /// Returns the text that an element shows.
    pub(crate) async fn text(&self, css: &str) -> String {
        let element = self.client.find(Locator::Css(css)).await.unwrap();
        element.text().await.unwrap()
    }

    /// Returns what is to be read here at the moment, or why nothing is: a tab that has crashed says so.
    async fn now_reads(&self, css: &str) -> String {
        let read = async { self.client.find(Locator::Css(css)).await?.text().await };
        read.await.unwrap_or_else(|error: fantoccini::error::CmdError| error.to_string())
    }

    /// Waits until this is to be read here.
    pub(crate) async fn reads(&self, css: &str, text: &str) -> String {
        let end = std::time::Instant::now() + PATIENCE;
        loop {
            let last = self.now_reads(css).await;
            if last.contains(text) {
                self.is_sound().await;
                return last;
            }
            if std::time::Instant::now() > end {
                panic!("{css} does not read {text:?}, but:\n{last}\nThe page says:\n{}", self.now_reads("body").await);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until a script says this.
    pub(crate) async fn says(&self, script: &str, value: &str) {
        let end = std::time::Instant::now() + PATIENCE;
        loop {
            let last = self.script(script).await;
            if last == value {
                return self.is_sound().await;
            }
            if std::time::Instant::now() > end {
                panic!("{script} does not say {value:?}, but {last}\nThe page says:\n{}", self.now_reads("body").await);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until this is gone.
    pub(crate) async fn gone(&self, css: &str) {
        let end = std::time::Instant::now() + PATIENCE;
        while self.client.find(Locator::Css(css)).await.is_ok() {
            assert!(std::time::Instant::now() < end, "{css} stays: {}", self.text(css).await);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Chooses an entry of a list.
    pub(crate) async fn choose(&self, css: &str, value: &str) {
        self.find(css).await.select_by_value(value).await.unwrap();
    }

    /// Writes into a field.
    pub(crate) async fn write(&self, css: &str, text: &str) {
        self.find(css).await.send_keys(text).await.unwrap();
    }

    /// Presses keys where the focus is.
    pub(crate) async fn keys(&self, keys: &str) {
        self.client.active_element().await.unwrap().send_keys(keys).await.unwrap();
    }

    /// Drops a file onto the page.
    pub(crate) async fn drop_file(&self, name: &str, text: &str) {
        let script = "const [name, text] = arguments[0], data = new DataTransfer(); data.items.add(new File([text], name));
            document.querySelector('.page').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))";
        self.script_of(script, json!([name, text])).await;
    }

    /// Sets the value of a field, whatever it was before.
    pub(crate) async fn set(&self, css: &str, value: &str) {
        let script = "const [css, value] = arguments[0], it = document.querySelector(css); it.value = value;
            it.dispatchEvent(new Event('input', { bubbles: true }))";
        self.script_of(script, json!([css, value])).await;
    }

    /// Runs a script and returns its result.
    pub(crate) async fn script(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.unwrap()
    }

    /// Runs a script with a value and returns its result.
    pub(crate) async fn script_of(&self, script: &str, value: Value) -> Value {
        self.client.execute(script, vec![value]).await.unwrap()
    }

    /// Returns the answers of the engine in the worker to these questions, each `[name, ...parameters]`.
    pub(crate) async fn ask(&self, questions: Vec<Value>) -> Vec<Value> {
        let script = "return (async (questions) => { const answers = [];
            for (const [name, ...parameters] of questions)
              answers.push(await lictor.call(name, parameters).then((value) => ({ value }), (error) => ({ error })));
            return answers; })(arguments[0])";
        let answers = self.client.execute(script, vec![Value::from(questions)]).await.unwrap();
        answers.as_array().cloned().unwrap()
    }

    /// Returns a picture of what the browser shows.
    pub(crate) async fn picture(&self) -> Vec<u8> {
        self.client.screenshot().await.unwrap()
    }
}

/// Connects to the driver, once it answers.
async fn connect(port: u16, Size(width, height): Size) -> Client {
    let arguments = [
        "--headless=new".to_owned(),
        "--no-sandbox".to_owned(),
        "--disable-gpu".to_owned(),
        "--disable-dev-shm-usage".to_owned(),
        "--hide-scrollbars".to_owned(),
        format!("--window-size={width},{height}"),
    ];
    let wanted = json!({ "goog:chromeOptions": { "args": arguments } });
    let wanted = wanted.as_object().cloned().unwrap();
    let end = std::time::Instant::now() + PATIENCE;
    loop {
        let connected = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new())
            .capabilities(wanted.clone())
            .connect(&format!("http://127.0.0.1:{port}"))
            .await;
        match connected {
            Ok(client) => return client,
            Err(error) => assert!(std::time::Instant::now() < end, "the driver does not answer: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Returns a file that the page is opened with.
pub(crate) fn input<'a>(name: &'a str, text: &'a str, system: &'a str) -> PageInput<'a> {
    PageInput { name, bytes: text.as_bytes(), system, arguments: "", schedulers: &[] }
}
