// Gradients, turned and translucent rectangles, text and a shader.
import QtQuick 2.15
import QtQuick.Window 2.15

Window {
    width: 320; height: 240; visible: true
    property bool taken: false
    onFrameSwapped: if (!taken) taken = scene.grabToImage(result => Qt.exit(result.saveToFile("picture.png") ? 0 : 1))
    Rectangle {
        id: scene
        anchors.fill: parent
        color: "#203040"
        Rectangle {
            x: 20; y: 20; width: 120; height: 90; radius: 16
            border { color: "white"; width: 3 }
            gradient: Gradient {
                GradientStop { position: 0; color: "tomato" }
                GradientStop { position: 1; color: "navy" }
            }
        }
        Repeater {
            model: 12
            Rectangle {
                x: 220; y: 70; width: 60; height: 14; antialiasing: true
                color: Qt.hsva(index / 12, 1, 1, 0.7)
                rotation: index * 30; transformOrigin: Item.Left
            }
        }
        Text { x: 20; y: 125; text: "Qt Quick"; font.pixelSize: 40; color: "white" }
        ShaderEffect {
            x: 20; y: 180; width: 280; height: 50
            fragmentShader: "
                varying highp vec2 qt_TexCoord0;
                uniform lowp float qt_Opacity;
                void main() {
                    gl_FragColor = vec4(qt_TexCoord0, 0.5 + 0.5 * sin(qt_TexCoord0.x * 40.0), 1.0) * qt_Opacity;
                }"
        }
    }
}
